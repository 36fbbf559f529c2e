/* operator.h - the fields of a node, for writing your own operator.

   Most variants need only <qkv/variant.h>. If an equation needs an operator
   that tape.h lacks, a plugin can define it with three short functions: one
   computes the value of its node, one adds to the gradients of its operands,
   and one makes the node, as variants/collaborative.c does.

   The price: `real` is float in `qkv` and double in `qkv-double`, so a plugin
   with its own operator must be compiled once for each. Both programs do that
   for you when you name ./mine.c; by hand it is

       cc -O2 -ffp-contract=off -shared -fPIC -I... mine.c -o mine.so
       cc ... -DQKV_DOUBLE mine.c -o double/mine.so

   In a directory of $QKV_PATH, `qkv-double` looks for `double/mine.so`; a path
   is used unchanged. (-ffp-contract=off gives the same bits on every machine.)
   The constant at the end of this file tells the program which of the two a
   plugin was compiled for. */
#ifndef QKV_OPERATOR_H
#define QKV_OPERATOR_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/real.h>
#include <qkv/tape.h>

typedef struct Tape Tape;

/* An operator. `forward` sets every entry of c->value, from the values of
   c->in[0], c->in[1], ... and from c->arguments. `backward` reads c->gradient,
   and adds to the gradients of the operands that are trained. It is called
   after every node that uses c has added to c->gradient. If `backward` is NULL,
   the operands get nothing from c. */
typedef struct Operator {
    const char *name;
    void (*forward)(Node *c);
    void (*backward)(Node *c);
} Operator;

struct Node {
    int rows, cols; /* the shape of value and of gradient */
    int sequences;  /* rows / sequences tokens in each */
    int heads;      /* cols / heads columns in each */
    real *value;    /* NULL if only the shapes are wanted */
    bool trained;   /* whether it depends on a weight and so has a gradient */
    real *gradient; /* d loss / d value: use gradient(). The memory is
                       reused once the node's backward has run */
    Node **in;      /* the operands */
    int inputs;     /* number of operands */
    const void *arguments; /* the operator's other arguments, in a type that it
                              declares: see keep_arguments */
    real *kept;            /* entries that forward keeps for
                              backward, or that either works in */
    const Operator *op;    /* NULL for a leaf, and for a view */
    double flops; /* operations of forward, 2 for each multiply-add; NAN
                     (unknown) unless your operator sets it */
    double state; /* how many entries a decoder could keep instead of the rows
                     of all earlier tokens; 0 if it needs those rows */
    Node *root; /* the node that owns the memory: itself, except after split */
    bool touched; /* gradient already holds a sum */
    bool passed;  /* already counted, in a count of parameters */
    Tape *tape;
    Node *previous; /* the node before it on the tape */
    Node *next;     /* the next node of the backward pass */
    /* To find that order: */
    int uses;    /* number of its uses by nodes that are not yet ordered */
    bool shared; /* it is used more than once */
};

#pragma GCC visibility push(default)

/* Returns a new node (rows x cols) of an operator and its operands `in`, on
   their tape, with memory for its value and, if an operand is trained, later
   for its gradient. It has the sequences of in[0], and one head unless you
   change that. */
Node *new_node(const Operator *op, int rows, int cols, Node *const *in,
               int inputs);

/* Computes the value of a node whose arguments are all set, and returns the
   node. (If only shapes are wanted, it computes nothing.) */
Node *compute(Node *c);

/* Returns the gradient of n, zeroed at the first call, for you to add to. Only
   a trained node has one: check n->trained first. */
real *gradient(Node *n);

/* Adds x to the gradient of n, entry by entry. The first call overwrites, which
   saves zeroing it. */
void add_gradient(Node *n, const real *x);

/* Returns memory for `count` entries that lives as long as the node, for
   n->kept; NULL if only the shapes are wanted. */
real *keep(Node *n, size_t count);

/* Copies the operator's other arguments to n->arguments, where forward and
   backward read them in the same type. */
void keep_arguments(Node *n, const void *arguments, size_t size);

#pragma GCC visibility pop

#ifndef QKV_CORE
/* Compiled into the plugin. The program compares it with its own size. */
extern const unsigned char qkv_real_size;
__attribute__((visibility("default"), weak)) const unsigned char qkv_real_size =
    sizeof(real);
#endif

#endif
