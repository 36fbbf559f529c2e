/* derive.h - the canonical form of a variant, derived from its code.

   The nodes of one run of its forward yield M_i and N_i (canonical.h) as sums
   of products of the plugin's matrices, whatever numbers are in them. A bias of
   keys is in none of them, because the softmax ignores a number that is added
   to a whole row of scores. With values for the matrices, the derived form can
   be computed, and must equal the form that the probe finds. Derivation and
   probing share no code except the plugin's. */
#ifndef DERIVE_H
#define DERIVE_H

#include "algebra/terms.h"

/* derive derives the form of v at attention a with the matrices w, as v
   declares them. derive_at does so at a shape, "d-model=16", with random
   matrices, in the last of `layers` blocks, ONE_BLOCK or TWO_BLOCKS. Of two
   blocks, the second can recall what the first remembered. The caller frees the
   result with derived_free, which does not free the matrices. */
enum { ONE_BLOCK = 1, TWO_BLOCKS = 2 };
Derived derive(const Variant *v, Attention a, Weights w);
Derived derive_at(const Variant *v, const char *shape, int layers);

/* Two shapes in which all widths differ. In the first, each number that is made
   of a width has one name: no ratio of two widths, h d_k and d_model / h among
   them, is a whole number below 5 or the square of one; and a decimal such as
   0.1 or 0.3 is no quotient of a small whole number and a width. In both d_k is
   even, because a plugin may halve it. */
#define TELLING_SHAPE "d-model=78 heads=6 kv-heads=3 d-k=12 d-v=7 latent=17"
#define LARGER_SHAPE  "d-model=60 heads=6 kv-heads=3 d-k=8 d-v=9 latent=14"

void derived_free(Derived *d);

#endif
