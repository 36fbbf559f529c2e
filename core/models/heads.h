/* heads.h - what the heads of a published model are, and what of them is gauge.
 */
#ifndef MODELS_HEADS_H
#define MODELS_HEADS_H

#include "models/layer.h"

/* What a head is. Norms, rotations and biases are left out of M. */
typedef struct HeadFacts {
    int rank_m, rank_n; /* singular values that have 99% of the squares */
    double symmetric;   /* |M + M'|^2 / |2 M|^2 */
    double *spectra;    /* the squares of the singular values of M, d_k of them,
                           and behind them those of N, d_v */
} HeadFacts;
HeadFacts head_facts(const Heads *l, int head);

/* The norm of a bias, of all heads; NaN where there is none. */
double bias_norm(const Heads *l, int projection);

/* Takes out what is gauge. A square part of W^K, and one of W^V, becomes the
   identity for each group of heads, or of a rotated pair of columns one complex
   number 1; a bias that the softmax cancels, or that b^O can have, becomes 0.
   Returns the worst condition of a part that was inverted. */
double heads_slim(Heads *l);

/* What attention makes of random tokens, the same for each layer of a model: so
   many times d_model numbers, to be freed. Its rotations have base 10,000, its
   norms no gains, and it has no sinks: what is gauge is so for any of these. */
enum { RANDOM_TOKENS = 16 };
real *heads_output(const Heads *l);

#endif
