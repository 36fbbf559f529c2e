/* tape.h - the owner's side of the tape: its memory, its leaves, the way back.

   A tape is one block of memory that nodes and matrices are cut from, one
   after the other; a training step begins by taking all of it back at once.
   How large the block must be a first run tells that computes nothing: on a
   measuring tape the operators make their nodes, add up what their matrices
   would need, and stop there. */
#ifndef TAPE_H
#define TAPE_H

#include <qkv/operator.h>

/* A tape that only measures. */
Tape *tape_measure(void);

/* A tape with room for exactly what has been put on `measured`. */
Tape *tape_fitting(const Tape *measured);

/* Bytes of matrices and of nodes on the tape so far. */
size_t tape_bytes(const Tape *t);

/* Numbers of values, gradients and what is kept for the way back. */
size_t tape_numbers(const Tape *t);

/* Drops every node. */
void tape_reset(Tape *t);
void tape_free(Tape *t);

/* A node for a matrix that somebody else owns: its value (rows x cols) and its
   gradient, NULL for data. The gradient is overwritten on the way back. On a
   measuring tape neither is looked into. */
Node *leaf(Tape *t, int rows, int cols, int sequences, real *value,
           real *gradient);

/* Sets the gradient of every trained node that `loss` (1 x 1) depends on. */
void backward(Node *loss);

/* A node of the same memory as a's, value and gradient, to be seen otherwise.
 */
Node *view(Node *a);

#endif
