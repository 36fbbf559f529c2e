/* tape.h - the owner's side of the tape: memory, leaves, the backward pass.

   A tape is one block of memory that nodes and matrices are cut from, one
   after the other; a training step begins by taking all of it back at once.
   How large the block must be a first run tells that computes nothing: on a
   measuring tape the operators make their nodes, add up what their matrices
   would need, and stop there. */
#ifndef TAPE_H
#define TAPE_H

#include <qkv/operator.h>

#include "math/matrix.h"

/* The entries of a node's matrix. */
static inline size_t
size_of(const Node *n)
{
    return (size_t)n->rows * (size_t)n->cols;
}

/* A tape that only measures. */
Tape *tape_measure(void);

/* A tape large enough for what has been put on `measured`, and for the backward
   pass from there. */
Tape *tape_fitting(Tape *measured);

/* Makes it large enough for what has been put on `other` as well, which has no
   more nodes than `measured`. */
void tape_include(Tape *measured, Tape *other);

/* The same, large enough to keep every gradient until the tape is reset: after
   the backward pass each trained root still has its own. */
Tape *tape_keeping(Tape *measured);

/* The same, with as much again behind every matrix, and UNWRITTEN in every
   byte. tape_verify aborts if an operator has written there, or has not written
   all of its value. */
enum { UNWRITTEN = 255 };
Tape *tape_guarded(Tape *measured);
void tape_verify(const Tape *t);

/* Bytes of matrices and of nodes: of a measuring tape, those that a tape
   fitting it has. */
size_t tape_bytes(Tape *t);

/* Entries of all values, and of what is kept for the backward pass. */
size_t tape_entries(const Tape *t);

/* The node that was made last, from which `previous` leads to all others. */
Node *tape_last(const Tape *t);

/* Does it only measure? */
bool tape_measures(const Tape *t);

/* Drops every node. */
void tape_reset(Tape *t);
void tape_free(Tape *t);

/* A node for a matrix that somebody else owns: its value (rows x cols) and its
   gradient, NULL for data. The gradient is overwritten by the backward pass.
   On a measuring tape neither is looked into. */
Node *leaf(Tape *t, int rows, int cols, int sequences, real *value,
           real *gradient);

/* Sets the gradient of every trained node that `loss` (1 x 1) depends on. */
void backward(Node *loss);

/* The same from any node, where d loss / d result is `seed`. */
void backward_from(Node *result, const real *seed);

/* The nodes that `result` (a root) is computed from, itself the first, each
   after all that use it: a list through `next`. One operand is followed to its
   end before the one on its left; what several nodes use waits until no other
   node can go. So the order follows from the equation alone. The order in which
   nodes are made does not: C leaves open which argument of a call is evaluated
   first. */
Node *backward_order(Node *result);

/* The gradient of n += a b; the first to arrive overwrites, and saves a pass.
 */
void add_product(Node *n, Matrix a, Matrix b);

/* The gradient of n += that of c, which has its size, as the last that c's
   backward does with it: where n has none yet, it takes over c's memory. */
void pass_gradient(Node *c, Node *n);

/* A node of the same memory as a's, value and gradient, to be seen otherwise.
 */
Node *view(Node *a);

#endif
