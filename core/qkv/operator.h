/* operator.h - a node's insides, for an operator of your own.

   Most variants need no more than <qkv/variant.h>. Where an equation asks for
   an operator that tape.h lacks, a plugin brings it: a function that makes a
   node with `new_node` and fills its value, and one that adds to the gradients
   of its operands. core/tape/operator.c is made of such pairs: its `scale` is
   the shortest one to begin from.

   The price: `real` is float in `qkv` and double in `qkv-double`, so such a
   plugin is compiled once for each. Each does it where you name ./mine.c; by
   hand it is

       cc -O2 -ffp-contract=off -shared -fPIC -I... mine.c -o mine.so
       cc ... -DQKV_DOUBLE mine.c -o double/mine.so

   Of a directory of $QKV_PATH `qkv-double` takes `double/mine.so`; a path it
   takes as it is. (-ffp-contract=off: the same bits on every machine.)
   The program tells the wrong one by the constant at the end of this file. */
#ifndef QKV_OPERATOR_H
#define QKV_OPERATOR_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/real.h>
#include <qkv/tape.h>

typedef struct Tape Tape;

struct Node {
    int rows, cols;        /* the shape of value and of gradient */
    int sequences;         /* rows / sequences tokens in each */
    int heads;             /* cols / heads columns in each */
    int gap;               /* rows between two sequences: 0 but in decoding */
    double seen;           /* share that no fixed_bias masks; that of in[0] */
    real *value;           /* NULL in a run that only wants the shapes */
    bool trained;          /* it depends on a weight: it has a gradient, */
    real *gradient;        /* d loss / d value, to be reached by gradient();
                              its own only until its backward is done */
    Node **in;             /* the operands, */
    int inputs;            /* how many */
    const void *arguments; /* what else the operator was called with, in a
                              type that it declares: see keep_arguments */
    real *kept;            /* entries that forward keeps for backward */
    void (*backward)(Node *self);
    Node *root;           /* whose memory this is: itself, but after split */
    bool touched;         /* gradient holds a sum already */
    bool passed;          /* another node has taken over its gradient */
    bool kept_by_decoder; /* by cached() */
    double flops[2];      /* multiply-adds times 2: forward, backward; 0 unless
                             the operator sets them, as products do */
    Tape *tape;
    Node *previous; /* on the tape */
    Node *next;     /* in the order of the backward pass; for that order: */
    int uses;       /* how many nodes that are still to come use it, */
    bool shared;    /* and was it more than one? */
};

#pragma GCC visibility push(default)

/* A new node (rows x cols) made from all of its operands `in`, on their tape,
   with memory for its value; for its gradient the backward pass finds some,
   where an operand has one. It has in[0]'s sequences, and one head until you
   say otherwise. If its value is NULL only the shape is wanted: return it at
   once. `backward` is called after everything that uses the node has added to
   its gradient. */
Node *new_node(int rows, int cols, void (*backward)(Node *self),
               Node *const *in, int inputs);

/* The gradient of n, zeroed at the first call: add to it. Only for a node
   that is trained: ask n->trained first. */
real *gradient(Node *n);

/* The gradient of n += x, entry by entry; the first to add saves the zeroing.
 */
void add_gradient(Node *n, const real *x);

/* Memory for `count` entries that lives as long as the node, for n->kept; NULL
   in a run that only wants the shapes. */
real *keep(Node *n, size_t count);

/* n->arguments becomes a copy of what the operator was called with besides its
   operands, for its backward to read in the same type. */
void keep_arguments(Node *n, const void *arguments, size_t size);

#pragma GCC visibility pop

#ifndef QKV_CORE
/* Left in the plugin, for the program to compare with its own. */
extern const unsigned char qkv_real_size;
__attribute__((visibility("default"), weak)) const unsigned char qkv_real_size =
    sizeof(real);
#endif

#endif
