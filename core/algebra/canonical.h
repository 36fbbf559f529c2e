/* canonical.h - what a variant computes, whatever matrices it is written in.

   If everything except the softmax is linear, or affine, in the tokens, head i
   is
       out += softmax(s_i [x 1] M_i y') [y 1] N_i
   s_i is the scale of its scores, often 1 / sqrt(d_k). M_i, the QK matrix,
   decides which tokens attend to which. N_i, the OV matrix, decides what a
   token adds to the tokens that attend to it. (In standard attention
   M_i = W_i^Q W_i^K' and N_i = W_i^V W_i^O.) Both are (d_model + 1) x d_model:
   a 1 is appended to the token, so the last row is a bias. Two variants whose
   heads have the same s_i M_i, N_i, biases by position and sinks, in any order,
   are the same function if their `constant` is the same, too. The form leaves
   two things out:

   - the bias of keys, which would be one more column of M_i. It adds the same
     number to all scores of a row, which the softmax cancels. (A sink is one
     more score in each row, to which the number is not added. So with a sink
     the bias of keys has an effect, and a variant with both has no form.)
   - which map the bias of the output comes from. A row of weights sums to 1, so
     the last rows of all N_i and the bias of W^O add up to one `constant`. With
     a sink, weights sum to less, and N_i keeps its last row. */
#ifndef CANONICAL_H
#define CANONICAL_H

#include <stdbool.h>

#include "training/build_model.h"

typedef struct Canonical {
    int heads, d_model;
    int size;           /* entries of an M_i or N_i: (d_model + 1) d_model */
    double *m, *n;      /* all s_i M_i, and all N_i, row by row */
    double *constant;   /* added to every token, d_model entries */
    bool rotated;       /* whether rope rotates q and k; then m has the M_i of
                           distance 0 */
    int positions;      /* the number of queries, and of keys, in `bias` */
    double *bias;       /* each head's bias by position (positions x positions),
                           -INFINITY for a masked pair; NULL if no head has one */
    double *sink;       /* each head's sink, -INFINITY if it has none */
    double deviation;   /* the largest difference between the variant's scores
                           or outputs and the form's, relative to the form's
                           largest: under the mask of the attention, or without
                           a mask if the form fails even then; NAN if the form
                           was not checked */
    bool unmasked_only; /* whether the form holds without a mask but not under
                           a causal mask */
    const char *why;    /* why there is no form; NULL if there is one */
} Canonical;

/* Finds the canonical form of v at attention a with the matrices w, as v
   declares them. The variant is a black box: it is run on unit vectors as
   tokens, without a mask, and the form is read from its scores and outputs. The
   form is then checked on random tokens of two magnitudes, with x and y of
   different lengths, and in self-attention under a causal mask. Scores and
   output must agree to 1e-4 (1e-10 in double) of the largest; without a sink,
   scores may differ by a constant for each row. If there is no form, `why`
   gives the reason, and m is NULL. A form that fails only under a causal mask
   counts as none if a is causal, and as one with `unmasked_only` if it is not.
   Biases by position are found for the first `positions` tokens, and at least
   for the few that the check needs. The caller frees the form with
   canonical_free.

   With rope, M_i is a different matrix at each distance: W_i^Q R(distance)
   W_i^K'. The rotation is then left out, which gives M_i at distance 0. That
   matrix is worth looking at, but it does not determine the function. */
enum { FEWEST_POSITIONS = 0 }; /* only the positions that the check needs */
Canonical canonical_form(const Variant *v, Attention a, Weights w,
                         int positions);
void canonical_free(Canonical *c);

/* The form of the attention at place number `place` of a model, probed for as
   many positions as the model's longest sequence has tokens. */
Canonical model_form(const Model *m, int place);

/* Sets c->heads and c->size, and allocates the matrices, constant and sinks of
   c, all 0. c->d_model must be set before. */
void canonical_allocate(Canonical *c, int heads);

/* The difference between an array that was found and the array wanted, compared
   entry by entry. It begins as {0}, or with the least value that `largest` may
   have. */
typedef struct Difference {
    double apart;   /* the largest difference; INFINITY if one found is NaN */
    double largest; /* the largest absolute value of a finite entry wanted */
} Difference;
void compare_entries(Difference *d, double found, double wanted);
void compare_arrays(Difference *d, const double *found, const double *wanted,
                    int count);

/* Returns d.apart divided by d.largest, or d.apart itself if d.largest is 0. */
double relative_difference(Difference d);

/* Returns whether two forms, probed for the same number of positions, have the
   same biases and sinks, up to rounding. A head that one form lacks counts as a
   head without bias and sink. */
bool equal_biases(const Canonical *a, const Canonical *b);

/* c (m x n) = a (m x k) b (k x n), all stored row by row. */
void product_of(double *c, const double *a, const double *b, int m, int k,
                int n);

/* c (m x n) = a (m x k) b' for b (n x k). */
void product_with_transposed(double *c, const double *a, const double *b, int m,
                             int k, int n);

#endif
