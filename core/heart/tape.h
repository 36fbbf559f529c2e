/* tape.h - the owner's side of the tape: memory, leaves, the backward pass.

   A tape is the list of all nodes of a forward pass, and the memory for them
   and for their matrices. Its owner resets it, makes leaves for weights and
   data, calls operators (<qkv/tape.h>), and calls `backward` on the result. A
   leaf is a node without operands. A view is a node that `split` made: it shows
   the entries of another node, its root. Every other node is its own root. */
#ifndef TAPE_H
#define TAPE_H

#include <qkv/attend.h>
#include <qkv/operator.h>

/* The number of entries of a node's matrix. */
static inline size_t
size_of(const Node *n)
{
    return (size_t)n->rows * (size_t)n->cols;
}

/* A decoder runs the model on only the newest tokens. Its Keeper keeps the rows
   of earlier tokens (decode/cache.h). Operators and the model call it. */
typedef struct Keeper {
    int position; /* of the first new token */
    /* Numbers of tokens in the attention that is running: earlier ones, whose
       rows are kept, and new ones. */
    int earlier, fresh;
    /* Called before and after the attention at a place. `enter` sets
       a->position, earlier and fresh. */
    void (*enter)(struct Keeper *k, Attention *a, int place, const Node *x,
                  const Node *y);
    void (*leave)(struct Keeper *k);
    /* Takes a node with a row for each new token, and returns a node with a row
       for each token so far. */
    Node *(*all_rows)(struct Keeper *k, Node *n);
    /* Like all_rows, for keys: if a->relative rotates, the result is also
       rotated, each key by its position. */
    Node *(*all_keys)(struct Keeper *k, const Attention *a, Node *keys);
} Keeper;

/* A function that computes what attend does. */
typedef Node *AttendFunction(Attention *a, Node *q, Node *k, Node *v,
                             double scale);

/* The purposes of a tape, which can be combined by |. COMPUTE: nodes have
   values, and a backward pass computes gradients, whose memory it reuses.
   SHAPES_ONLY: nodes have shapes and arguments, but no values, so that a model
   that is too large for memory can still be counted. KEEP_GRADIENTS: after the
   backward pass each trained root still has its gradient, until the tape is
   reset. RED_ZONES: each matrix is followed by as much unused memory, and every
   byte of both is UNWRITTEN at first, so that `qkv check` (check/subject.c)
   sees what operators write. */
enum { COMPUTE = 0, SHAPES_ONLY = 1, KEEP_GRADIENTS = 2, RED_ZONES = 4 };
enum { UNWRITTEN = 255 };

struct Tape {
    int purpose;
    Node *last; /* the newest node, from which `previous` leads to all others */
    struct Block *block; /* the newest block of memory */
    size_t bytes;        /* taken from the blocks since the last reset */
    size_t most;         /* the largest `bytes` so far */
    size_t entries; /* of all matrices since the reset, including those without
                       values */
    Node *spare;    /* nodes whose gradients can be reused, linked by `next` */
    int recalled;   /* how often a block recalled a node of another block */
    Keeper *keeper; /* a decoder's, or NULL */
    /* If set, called with `to` and each new node, once its value is computed.
     */
    void (*watch)(void *to, Node *n);
    void *to;
    /* If set, attend calls it instead of making its own node. */
    AttendFunction *attend;
};

Tape *tape_new(int purpose);
void tape_reset(Tape *t); /* drops every node, keeps the memory */
void tape_free(Tape *t);  /* t may be NULL */

/* Makes a node for a matrix that somebody else owns: its value (rows x cols),
   and its gradient, which the backward pass overwrites, or NULL if it is data.
   Its rows are `sequences` sequences, or one if it is UNBATCHED. The owner may
   set its `arguments` to a text, its name in messages. */
enum { UNBATCHED = 1 };
Node *leaf(Tape *t, int rows, int cols, int sequences, real *value,
           real *gradient);

/* Computes the gradient of every trained node that `result` depends on. The
   gradient of `result` (1 x 1) itself is 1, unless it was set before. */
void backward(Node *result);

/* Links, through `next`, the nodes that `result`, a root, is computed from, and
   returns the first, which is `result`. Each node comes after all nodes that
   use it. An operand and everything that it is computed from come before the
   operand on its left; a node that is used more than once comes only when no
   other node can. So the order follows from the equation. The order in which
   nodes are made does not, because C leaves open which argument of a call is
   evaluated first. */
Node *backward_order(Node *result);

/* Call this before you add to the gradient of a root, and before threads share
   that work. Returns true at the first call of a backward pass. Then the
   gradient has memory, but no sum yet: overwrite it instead of adding to it. (A
   leaf has its own memory; another node gets the memory of a dead gradient of
   the same size, or new memory.) */
bool start_gradient(Node *root);

/* The name of a matrix in messages: "(32 x 64)" or, for a leaf with a name and
   for its views, "W^Q (32 x 64)". The text belongs to the tape. */
const char *label(const Node *n);

#endif
