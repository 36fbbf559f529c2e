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
    Attention attention;
    Tape *tape;
    Node **w; /* the plugin's matrices: leaves, with their names as arguments */
    int count;
    real *drawn; /* their random values, or NULL */
    int heads;
    Term *(*piece)[PIECES]; /* of each head */
    Term *constant;         /* added to every token */
    int sinks;              /* of heads, that are learned */
    bool positioned;        /* scores have a bias by position */
    Values blocked;         /* what is in the way of a form; none if there is
                               one */
} Derived;

/* Of v at a, whose matrices w have those values, NULL: random ones; both must
   stay. derived_free it. */
Derived derive(const Variant *v, Attention a, const Weights *w,
               real *const *values);
void derived_free(Derived *d);

/* Its pieces at the values that the matrices have now; canonical_free it. */
Canonical derived_form(const Derived *d);

/* Is a matrix in any piece? */
bool is_in_form(const Derived *d, const Node *w);

/* How far derived and probed form are apart, relative to the largest entry;
   NaN where the probe finds none. */
double derived_apart(const Derived *d, const Variant *v, const Weights *w);

/* What of it is more than rounding. */
#define APART (sizeof(real) == 4 ? 1e-4 : 1e-12)

/* How many real parameters follow: the rank of the derivatives of all pieces by
   all matrices, and the sinks; -1 where no gap tells. */
int derived_real(const Derived *d);

#endif
