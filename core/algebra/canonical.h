/* canonical.h - what a variant computes, whatever matrices it is written in.

   If everything except the softmax is linear, or affine, in the tokens, head i
   is
       out += softmax(s_i [x 1] M_i y') [y 1] N_i
   M_i = W_i^Q W_i^K', the QK matrix, says what looks at what; N_i = W_i^V
   W_i^O, the OV matrix, what is carried over. Both are (d_model + 1) x d_model:
   the token has a 1 appended to it, so the last row is the bias. Two variants
   with the same (s_i M_i, N_i), up to the order of heads, are the same
   function. The form leaves two things out:

   - the bias of keys, which would be one more column of M_i: it adds the same
     number to all scores of a row, which the softmax cancels. A sink is one
   more score, to which the number is not added. So with a sink the bias of keys
   is real, and a variant that has both has no form here;
   - which map the bias of the output comes from: a row of weights sums to 1, so
     the last rows of all N_i and the bias of W^O add up to one `constant`. With
     a sink, weights sum to less, and N_i keeps its last row. */
#ifndef CANONICAL_H
#define CANONICAL_H

#include <stdbool.h>

#include <qkv/real.h>

#include "training/build_model.h"

enum { WHY_SIZE = 160 };

typedef struct Canonical {
    int heads, d_model;
    int size;         /* entries of an M_i or N_i: (d_model + 1) d_model */
    double *m, *n;    /* all s_i M_i, and N_i, each row by row */
    double *constant; /* added to every token, d_model entries */
    bool rotated;     /* q and k are, by rope: then M is that of distance 0 */
    int positions;    /* so many queries and keys were probed for a bias */
    double *bias;     /* of scores, by position: of each head (positions x
                         positions), -INFINITY where it masks; NULL for none */
    double *sink;     /* of each head, -INFINITY for none */
    double deviation; /* how far the variant is from the form, relative to the
                         largest entry */
    bool
        unmasked_only; /* it holds without a mask, and not under a causal one */
    char why[WHY_SIZE]; /* it has none; empty where it has one */
} Canonical;

/* Finds the canonical form of v at attention a with the matrices w, as it
   declares them. It is probed without a mask; under the mask of a it must hold,
   too. Nothing is known of the variant: it is
   probed with identity matrices, and what that yields is then proved on random
   tokens, y of another length than x, at their size and eight times it: scores,
   of which each row may be off by a number of its own, and output must agree to
   1e-4 (1e-10 in double). Where they do not, `why` says so and m, n are NULL.
   What scores add by position is probed for so many `positions`, and nothing is
   known beyond. canonical_free it.

   With rope M is another matrix at each distance, W_i^Q R(distance) W_i^K'. The
   probe finds that of distance 0, by leaving the rotation out: enough to look
   at, but not to say which function it is. */
Canonical canonical_form(const Variant *v, Attention a, Weights w,
                         int positions);
void canonical_free(Canonical *c);

/* That of a place's attention, probed for as many positions as the model has
   tokens. */
Canonical model_form(const Model *m, int place);

/* Memory for c's matrices, constant and sinks, where c->d_model is set. */
void canonical_allocate(Canonical *c, int heads);

/* The sink of a head of a softmax, -INFINITY if it has none: then each row of
   its weights sums to 1. */
double sink_of(const Node *weights, int head);

/* The largest difference of numbers that are compared, one by one, and the
   largest that was wanted, which it is relative to. What is no number is as far
   off as can be. */
typedef struct Difference {
    double apart, largest;
} Difference;
void compare_entries(Difference *d, double found, double wanted);
double relative_difference(Difference d);

/* Are the biases by position, and the sinks, of two forms that were probed for
   as many positions the same? A head that one of them lacks has none. */
bool equal_biases(const Canonical *a, const Canonical *b);

/* c (m x n) = a (m x k) b (k x n), or a b' for b (n x k) where `flipped`: small
   matrices in double, in plain loops. */
void product_of(double *c, const double *a, const double *b, int m, int k,
                int n, bool flipped);

#endif
