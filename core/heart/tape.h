/* tape.h - the owner's side of the tape: memory, leaves, the backward pass.

   Nodes and matrices are cut from the tape's memory, one after the other. Each
   micro-batch begins by dropping all of them at once. As soon as that has made
   one block of the tape's blocks, nothing more is allocated. */
#ifndef TAPE_H
#define TAPE_H

#include <qkv/attend.h>
#include <qkv/operator.h>

/* The entries of a node's matrix. */
static inline size_t
size_of(const Node *n)
{
    return (size_t)n->rows * (size_t)n->cols;
}

/* What keeps rows of earlier tokens, for a decoder (cache.h): it answers what
   operators and the model ask. */
typedef struct Keeper {
    int position; /* of the first new token */
    /* In the attention at hand: tokens whose rows are kept, and new ones. */
    int earlier, fresh;
    /* Around the attention at a place: sets a->position, earlier and fresh. */
    void (*enter)(struct Keeper *k, Attention *a, int place, const Node *x,
                  const Node *y);
    void (*leave)(struct Keeper *k);
    /* All rows so far of a node that has those of new tokens. */
    Node *(*all_rows)(struct Keeper *k, Node *n);
    /* The same for keys, which also get the positions of attention a. */
    Node *(*all_keys)(struct Keeper *k, const Attention *a, Node *keys);
} Keeper;

/* A function that computes what attend does. */
typedef Node *AttendFunction(Attention *a, Node *q, Node *k, Node *v,
                             double scale);

/* What a tape is for; these may be added.

   SHAPES_ONLY: nodes have shapes and arguments, but no values: so a model that
   is too large for memory can still be counted. KEEP_GRADIENTS: after the
   backward pass each trained root still has its own, until the tape is reset.
   RED_ZONES: each matrix has as much memory again behind it, and UNWRITTEN in
   every byte, so that `qkv check` (check/subject.c) sees what operators write.
 */
enum { SHAPES_ONLY = 1, KEEP_GRADIENTS = 2, RED_ZONES = 4 };
enum { UNWRITTEN = 255 };

struct Tape {
    int purpose;
    Node *last; /* the newest node, from which `previous` leads to all others */
    struct Block *block; /* the newest block of memory */
    size_t bytes;        /* taken from the blocks since the last reset; */
    size_t most;         /* the most that was taken before any reset */
    size_t entries; /* of all matrices since the reset, if only as shapes */
    Node *spare;    /* nodes that need their gradients no more (next) */
    int recalled;   /* nodes that a block recalled from an earlier one */
    Keeper *keeper; /* a decoder's, or NULL */
    void (*watch)(void *to, Node *n); /* if set, called with each new node, */
    void *to;                         /* as soon as its value is computed */
    AttendFunction
        *attend; /* if set, called instead of attend's own operator */
};

Tape *tape_new(int purpose);
void tape_reset(Tape *t); /* drops every node, keeps the memory */
void tape_free(Tape *t);

/* A node for a matrix that somebody else owns: its value (rows x cols) and its
   gradient, NULL for data. The gradient is overwritten by the backward pass.
   Its arguments may be set to a name, which messages then have. */
Node *leaf(Tape *t, int rows, int cols, int sequences, real *value,
           real *gradient);

/* Sets the gradient of every trained node that `result` depends on. That of
   `result` (1 x 1) itself is 1, unless something was added to it before. */
void backward(Node *result);

/* The nodes that `result` (a root) is computed from, itself the first, each
   after all that use it: a list through `next`. One operand is followed to its
   end before the one on its left; what several nodes use waits until no other
   node can go. So the order follows from the equation alone. The order in which
   nodes are made does not: C leaves open which argument of a call is evaluated
   first. */
Node *backward_order(Node *result);

/* Makes the gradient of a root ready to be added to. Returns true for the first
   contribution, which must overwrite: then the gradient gets memory, that of
   one of the same size that is needed no more, if there is one. (A leaf has its
   own.) To be called before threads share the work. */
bool start_gradient(Node *root);

/* What messages call a matrix: "(32 x 64)"; if it is a leaf with a name, or one
   that is split, "W^Q (32 x 64)". The text is the tape's. */
const char *label(const Node *n);

#endif
