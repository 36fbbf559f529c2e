/* derive.h - the canonical form of a variant, derived from its code.

   One run of the plugin's forward makes nodes, from which M_i and N_i
   (canonical.h) follow as sums of products of the plugin's matrices, whatever
   entries these have. A bias of keys is left out, because the softmax ignores a
   number that is added to a whole row of scores. For given matrices the derived
   form can be computed, and must equal the form that canonical_form finds by
   probing. Derivation and probing share only the plugin's code and the
   code that runs it (capture.h). */
#ifndef DERIVE_H
#define DERIVE_H

#include "algebra/terms.h"

/* derive derives the form of v at attention a with the matrices w, as v
   declares them. derive_at does so at a shape, such as "d-model=16", with
   random matrices, in the last of `layers` blocks, ONE_BLOCK, TWO_BLOCKS or
   THREE_BLOCKS. A later block can recall what an earlier one remembered; and
   the last of two and of three blocks differ if every other block does, as
   where local and global attention alternate. The caller frees the result with
   derived_free, which does not free the matrices. */
enum { ONE_BLOCK = 1, TWO_BLOCKS = 2, THREE_BLOCKS = 3 };
Derived derive(const Variant *v, Attention a, Weights w);
Derived derive_at(const Variant *v, const char *shape, int layers);

/* Two shapes in which all widths differ, and d_k is a multiple of 12, because a
   plugin may divide it into parts. In each shape, a number that is made from a
   width tells from which one, because no ratio of two widths, h d_k and
   d_model / h included, is a whole number below 5 or the square of one. A
   number that is made from something else can have a width's value in one of
   the shapes, but hardly in both (only_where in print_form.h). */
#define TELLING_SHAPE "d-model=78 heads=6 kv-heads=3 d-k=12 d-v=7 latent=17"
#define LARGER_SHAPE  "d-model=200 heads=8 kv-heads=2 d-k=24 d-v=19 latent=31"

void derived_free(Derived *d);

#endif
