/* real_parameters.h - how many of a variant's parameters are really there.

   It is the rank of the Jacobian, d outputs / d parameters: the number of
   independent directions in which moving the weights changes the function. The
   other directions are gauge: (W^Q A) (W^K A^-T)' = W^Q W^K' for every
   invertible A, so standard attention stores 4 h d d_k parameters, of which
   2 h d_k^2 are gauge. This works for any variant, whether or not it has a
   canonical form. The Jacobian is taken on sequences of 16 tokens, so
   parameters that matter only at larger distances are not counted. The rank can
   be trusted only in double. */
#ifndef REAL_PARAMETERS_H
#define REAL_PARAMETERS_H

#include "algebra/rank.h"
#include "config/find_plugin.h"
#include "heart/random.h"

typedef struct RealCount {
    int stored; /* the parameters of a.layers blocks */
    int real;   /* how many of them are real, or UNKNOWN_RANK */
    Rank found; /* the rank that was measured: of one block or, if a block uses
                   what an earlier one remembered, of all blocks together */
} RealCount;

/* Which tokens attention reads. ANY_TOKENS: arbitrary ones. NORMED_TOKENS: as
   between two LayerNorms, it reads only normed tokens, and nothing reads the
   mean of a token that it returns. */
typedef enum { ANY_TOKENS, NORMED_TOKENS } Tokens;

/* Counts the real parameters of the self-attention of a.layers blocks of v at
   a, with random matrices and the mask of a; a variant for causal attention
   only always has a causal mask. Blocks that are measured together have a
   residual around each. */
RealCount real_count(const Variant *v, Attention a, Tokens tokens);

/* Draws the entries of a weight for a measurement: normal, with the mean and
   the deviation of its initialisation. But weights that start as constants are
   random, too, since special values can hide parameters. */
void draw_entries(const Weight *w, real *entries, Random *r);

/* Measuring more parameters than this takes over half a minute and most of a
   gigabyte. */
enum { MOST_MEASURED = 6000 };

#endif
