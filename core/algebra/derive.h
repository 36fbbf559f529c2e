/* derive.h - the canonical form of a variant, derived from its code.

   One run of its forward, without numbers, yields M_i and N_i (canonical.h) as
   sums of products of the plugin's own matrices (symbols.h). A bias of keys
   adds the same to a whole row of scores, to which the softmax is blind: so it
   is in none of them. With the values of the matrices, what was derived is
   numbers too, which must be those that the probe finds: two ways that share
   nothing but the plugin. */
#ifndef DERIVE_H
#define DERIVE_H

#include "algebra/canonical.h"
#include "algebra/symbols.h"

/* What a head has: M_i, the row of its queries' bias, and N_i. */
enum { SCORES, SCORES_BIAS, VALUES, PIECES };

typedef struct Derived {
    const Variant *variant;
    Attention attention;
    Weights weights;
    Tape *tape;
    Node **w;    /* the weights, with random values: leaves of the tape, whose
                    arguments are their names, and which move by their gradients */
    real *drawn; /* their values, and those by which they move */
    int stored;
    int heads;
    Term *(*piece)[PIECES]; /* of each head */
    Term *constant;         /* added to every token */
    int sinks;              /* of heads, that are learned, */
    const Node *sink;       /* and whose weight they are */
    bool positioned;        /* scores have a bias by position */
    Values blocked;         /* what is in the way of a form; none if there is
                               one */
} Derived;

/* Of v at a, or at a shape, "d-model=16", in the last of so many blocks: only
   in a later block can it recall what an earlier one remembered. derived_free
   it.
 */
Derived derive(const Variant *v, Attention a);
Derived derive_at(const Variant *v, const char *shape, int layers);

/* A shape whose widths are all different, so that each has its own name. */
#define TELLING_SHAPE "d-model=32 heads=4 kv-heads=2 d-k=6 d-v=7 latent=10"

void derived_free(Derived *d);

/* Its pieces at the values of the weights, or their slopes (symbols.h);
   canonical_free it. */
Canonical derived_form(const Derived *d, bool slope);

/* Does the form depend on that weight? */
bool is_in_form(const Derived *d, int weight);

/* How far derived and probed form are apart, relative to the largest entry;
   NaN where the probe finds none. */
double derived_apart(const Derived *d);

/* What of it is more than rounding. */
#define APART (sizeof(real) == 4 ? 1e-4 : 1e-12)

/* How many real parameters follow: the rank of the slopes of all pieces along
   all directions of the weights, and the sinks; -1 where no gap tells. */
int derived_real(const Derived *d);

#endif
