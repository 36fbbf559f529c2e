/* real_parameters.h - how many of a variant's parameters are really there.

   The rank of d outputs / d parameters: the number of directions in which the
   weights can be moved and the function moves with them. The other directions
   are gauge: (W^Q A) (W^K A^-T)' = W^Q W^K' for every invertible A, so standard
   attention stores 4 h d d_k parameters and has 2 h d_k^2 fewer. Nothing is
   known of the variant, and no canonical form is needed. There are 16 tokens,
   so parameters that matter only at larger distances are not counted. The rank
   can be trusted only in double. */
#ifndef REAL_PARAMETERS_H
#define REAL_PARAMETERS_H

#include "algebra/rank.h"
#include "config/find_plugin.h"

typedef struct RealCount {
    int stored; /* the parameters of a.layers blocks */
    int real;   /* how many of them are real; -1 if no gap shows the rank */
    Rank found; /* the rank measured: of one block, or of all together */
} RealCount;

typedef enum { ANY_TOKENS, NORMED_TOKENS } Tokens;

/* Counts the real parameters of the self-attention of a.layers blocks of v at
   a, with random matrices and the mask of a; a variant for causal attention
   only always has a causal mask. One block is measured, or, if a block recalls
   what another one remembered, all together, with a residual around each. Its
   tokens are any or, as between two LayerNorms, it reads only normed ones and
   the mean of what it returns is never read. */
RealCount real_count(const Variant *v, Attention a, Tokens tokens);

/* To measure more parameters than this takes over half a minute and most of a
   gigabyte. */
enum { MOST_MEASURED = 6000 };

#endif
