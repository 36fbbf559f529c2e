/* real_parameters.h - how many of a variant's parameters are really there.

   The rank of d outputs / d parameters: the number of directions in which the
   weights can be moved and the function moves with them. The other directions
   are gauge: (W^Q A) (W^K A^-T)' = W^Q W^K' for every invertible A, so standard
   attention stores 4 h d d_k parameters and has 2 h d_k^2 fewer. Nothing is
   known of the variant, and no canonical form is needed. The tokens are 16, so
   what a variant does at larger distances only is not counted. Believable in
   double only. */
#ifndef REAL_PARAMETERS_H
#define REAL_PARAMETERS_H

#include "algebra/rank.h"
#include "config/find_plugin.h"

typedef struct RealCount {
    int stored, real; /* of a.layers blocks; real: -1 where no gap tells */
    Rank found;       /* of what was measured as one function */
} RealCount;

/* Of the self-attention of a.layers blocks of v at a, their matrices random:
   of one block; or of all, with a residual around each, where a block recalls
   what another remembered. With the mask of a; a variant that is for causal
   attention only is causal anyhow. */
RealCount real_count(const Variant *v, Attention a);

/* More parameters than that, of one function, take half a minute, and most of a
   gigabyte. */
enum { MOST_MEASURED = 6000 };

#endif
