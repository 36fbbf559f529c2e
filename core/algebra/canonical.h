/* canonical.h - what a variant computes, whatever matrices it is written in.

   Head i of a variant that is linear in the tokens but for its softmax is
       out += softmax(s_i x M_i y') y N_i
   with M_i = W_i^Q W_i^K' ("what looks at what") and N_i = W_i^V W_i^O ("what
   is carried over"), both (d_model x d_model). Two variants that agree in
   (s M_i, N_i), up to the order of heads, are the same function. */
#ifndef CANONICAL_H
#define CANONICAL_H

#include <stdbool.h>

#include <qkv/real.h>

#include "config/find_plugin.h"

enum { WHY_SIZE = 160 };

enum { BIASED = 64, SINK = BIASED * BIASED, BIAS_SIZE = SINK + 1 };
typedef struct Canonical {
    int heads, d_model;
    double *m, *n; /* head after head, each row by row */
    double *scale; /* of each head */
    bool rotated;  /* q and k are, by rope: then M is that of distance 0 */
    double *bias;  /* NULL where there is none; BIAS_SIZE of each head, see
                      bias_entry */
    double
        deviation; /* of the variant from it, relative to the largest entry */
    char why[WHY_SIZE]; /* it has none; empty where it has one */
} Canonical;

/* Finds the canonical form of v at attention a (its mask aside), whose declared
   matrices w have the values values[i] (rows x cols). Nothing is known of the
   variant: it is probed with identity matrices, and what that yields is then
   proved on random tokens, y of another length than x, at their size and eight
   times it: scores and output must agree to 1e-4 (1e-10 in double). Where they
   do not, `why` says so and m, n, scale are NULL. canonical_free it.

   With rope M is another matrix at each distance, W_i^Q R(distance) W_i^K'. The
   probe finds that of distance 0, by leaving the rotation out: enough to look
   at, but not to say which function it is. */
Canonical canonical_form(const Variant *v, Attention a, const Weights *w,
                         real *const *values);
void canonical_free(Canonical *c);

/* Memory for c's matrices, where c->d_model is set. */
void canonical_allocate(Canonical *c, int heads);

/* Scores may have a bias b_ij by position besides, s x M y' + b, and a sink.
   Entry i * BIASED + j is b_ij of head `head`, for so many queries and keys,
   -INFINITY where it is masked; entry SINK is the sink, -INFINITY for none. And
   are those of two forms the same? */
double bias_entry(const Canonical *c, int head, int k);
bool equal_biases(const Canonical *a, const Canonical *b);

/* c (m x n) = a (m x k) b (k x n), or a b' for b (n x k) where `flipped`: small
   matrices in double, in plain loops. */
void product_of(double *c, const double *a, const double *b, int m, int k,
                int n, bool flipped);

#endif
