/* real_parameters.h - how many of a variant's parameters are really there.

   Their number is the rank of the Jacobian, d outputs / d parameters: the
   number of independent directions in which moving the weights changes the
   function. The other directions are gauge: (W^Q A) (W^K A^-T)' = W^Q W^K' for
   every invertible A. So of the 4 h d d_k parameters that standard attention
   stores, 2 h d_k^2 are gauge. The rank can be measured for any variant,
   whether or not it has a canonical form. The Jacobian is taken on sequences of
   16 tokens, so parameters that matter only at larger distances are not
   counted. The rank can be trusted only in double. */
#ifndef REAL_PARAMETERS_H
#define REAL_PARAMETERS_H

#include "algebra/rank.h"
#include "config/find_plugin.h"
#include "heart/random.h"

typedef struct RealCount {
    int stored; /* the number of parameters of all blocks */
    int real;   /* how many of these are real, or UNKNOWN_RANK */
    Rank found; /* the measured rank, of one block or, if a block uses what an
                   earlier block remembered, of all blocks together */
} RealCount;

/* Which tokens attention reads. With ANY_TOKENS it reads arbitrary tokens. With
   NORMED_TOKENS it is between two LayerNorms: it reads only normed tokens, and
   the mean of a token that it returns has no effect. */
typedef enum { ANY_TOKENS, NORMED_TOKENS } Tokens;

/* Counts the real parameters of the self-attention of a.layers blocks of v at
   a, with random matrices and the mask of a. A variant that is only for causal
   attention always gets a causal mask. Blocks that are measured together have a
   residual around each. */
RealCount real_count(const Variant *v, Attention a, Tokens tokens);

/* Draws the entries of a weight for a measurement: normal, with the mean and
   the standard deviation of its initialisation, but a deviation of at least
   0.1. So a weight that starts as a constant is drawn at random, too: special
   values can hide parameters. */
void draw_entries(const Weight *w, real *entries, Random *r);

/* Measuring more parameters than this takes over half a minute, and most of a
   gigabyte of memory. */
enum { MOST_MEASURED = 6000 };

#endif
