/* derive.h - the canonical form of a variant, derived from its code.

   One run of its forward, without numbers, yields M_i and N_i (canonical.h) as
   sums of products of the plugin's matrices. (A bias of keys is in none of
   them, because the softmax ignores a number that is added to a whole row of
   scores.) With values for the matrices, the derived form can be computed, and
   must equal the form that the probe finds. The two ways share nothing but the
   plugin. */
#ifndef DERIVE_H
#define DERIVE_H

#include "algebra/canonical.h"
#include "heart/matrix.h"
#include "heart/tape.h"

/* Tokens count as the identity matrix, which their leaf has in `kept`, or as
   some of its columns. */
typedef enum { TOKENS, MATRIX, DIAGONAL, OPAQUE } SymbolKind;

typedef struct Symbol {
    SymbolKind kind;
    const Node *of; /* the leaf, or the node that is opaque */
    Matrix m;       /* the part of the leaf; a diagonal as a row */
    char role;      /* in a chain of q, k or v */
} Symbol;

/* A product. A product of scores, q k', has the symbols of q, then those of k.
 */
enum { MOST_SYMBOLS = 32 };
typedef struct Term {
    double factor;
    int count;
    int keys;            /* the first symbol of k; -1 if there is none */
    int left;            /* the column of the node that its first one is */
    const Node *weights; /* the softmax before it, and its head; or NULL */
    int head;
    bool bias; /* it begins with a row of weights, which all tokens get */
    bool opaque;
    char role;
    Symbol of[MOST_SYMBOLS];
} Term;

typedef struct Terms {
    Term *term;
    int count, room;
} Terms;

/* The pieces of a head: M_i, the row of its queries' bias, and N_i; and the row
   that is added to every token, which only the first head has. */
enum { SCORES, SCORES_BIAS, VALUES, CONSTANT, PIECES };

typedef struct Derived {
    const Variant *variant;
    Attention attention;
    Weights weights;
    Tape *tape;
    real **values;  /* of the weights, at random */
    real *identity; /* the entries of tokens */
    int heads;
    Terms (*piece)[PIECES]; /* of each head */
    const char *why;        /* why there is no form; NULL if there is one */
} Derived;

/* Derives the form of v at a, or at a shape, "d-model=16", in the last of
   `layers` blocks, since only a later block can recall what an earlier one
   remembered. To be freed with derived_free. */
Derived derive(const Variant *v, Attention a);
Derived derive_at(const Variant *v, const char *shape, int layers);

/* A shape whose widths are all different, so that each has its own name. */
#define TELLING_SHAPE "d-model=32 heads=4 kv-heads=2 d-k=6 d-v=7 latent=10"

void derived_free(Derived *d);

/* The form that the probe finds at the values of the weights; and how far the
   derived one is from it, relative to the largest entry: NaN if the probe finds
   none. */
Canonical probed_form(const Derived *d);
double derived_apart(const Derived *d);

/* A distance above this is more than rounding. */
#define APART (sizeof(real) == 4 ? 1e-4 : 1e-12)

/* A term without its tokens; columns of tokens are columns of the identity. */
Term matrices_of(const Term *t);

/* Adds up a sum of terms, into a matrix with that many rows. */
void sum_value(const Terms *s, int rows, double *to);

#endif
