/* factors.h - the matrices of heads as NumPy arrays. */
#ifndef FACTORS_H
#define FACTORS_H

#include "models/checkpoint.h"
#include "models/published.h"

/* Writes the directory `to`, which must not exist yet, whole or not at all. It
   has four arrays for each layer, layer-1-W_Q.npy and so on:

       W_Q  (heads,  d_model + 1, d_k)    W_K  (groups, d_model + 1, d_k)
       W_V  (groups, d_model + 1, d_v)    W_O  (heads, d_v, d_model)

   Head i of group g has M = W_Q[i] W_K[g]' and N = W_V[g] W_O[i]. The last of
   d_model + 1 rows is the bias, or 0 if there is none. The two columns of a
   rotated pair are adjacent. Norms of queries and keys, and their gains, are
   left out. With a latent (heads.h), the rotated columns are in two more
   arrays, W_Q_rotated and W_K_rotated. */
void factors_write(const Checkpoint *c, const Published *model, const char *to);

#endif
