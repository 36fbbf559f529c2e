/* derive.h - the canonical form of a variant, derived from its code.

   The nodes of one run of its forward yield M_i and N_i (canonical.h) as sums
   of products of the plugin's matrices, whatever the numbers in them. (A bias
   of keys is in none of them, because the softmax ignores a number that is
   added to a whole row of scores.) With values for the matrices, the derived
   form can be computed, and must equal the form that the probe finds. The two
   ways share nothing but the plugin. */
#ifndef DERIVE_H
#define DERIVE_H

#include "algebra/canonical.h"
#include "algebra/capture.h"

/* A part of a leaf, where tokens count as the identity matrix and a row of
   gains as a diagonal one. Of a node that is no matrix only `of` is known. */
typedef struct Symbol {
    const Node *of;
    Matrix m;
    char role; /* of the product that it is in: q, k or v */
    /* Where it is: the piece and number of its term, the chain, and its place
       in that. Other heads have theirs in the same place. */
    int piece, number, side, place;
} Symbol;

/* A product, and the tokens that it begins with: "x", "y", or NULL. */
enum { MOST_SYMBOLS = 16 };
typedef struct Chain {
    const char *tokens;
    int count;
    Symbol of[MOST_SYMBOLS];
} Chain;

/* The pieces of a head: M_i and the row below it, N_i and the row below it; and
   the row that is added to every token without attention: each head has it. */
enum { M_PIECE, M_ROW, N_PIECE, N_ROW, CONSTANT, PIECES };

/* factor Q K', where K, the second chain, is only in scores. */
typedef struct Term {
    int piece, head; /* heads count from the last one, 0, which is written */
    int number;      /* among those of its piece and head */
    double factor;
    int width; /* the narrowest in it: its rank is at most that */
    Chain chain[2];
} Term;

typedef struct Derived {
    Alone run;
    int heads;
    Term *term; /* of all pieces */
    int count, capacity;
    const char *why; /* why there is no form; NULL if there is one */
} Derived;

/* Derives the form of v at a with the matrices w, as it declares them; or at a
   shape, "d-model=16", and random matrices, in the last of `layers` blocks,
   since only a later block can recall what an earlier one remembered. To be
   freed with derived_free, which leaves the matrices. */
Derived derive(const Variant *v, Attention a, Weights w);
Derived derive_at(const Variant *v, const char *shape, int layers);

/* Shapes whose widths are all different, so that each has its own name; and a
   larger one. */
#define TELLING_SHAPE "d-model=32 heads=4 kv-heads=2 d-k=6 d-v=7 latent=11"
#define LARGER_SHAPE  "d-model=60 heads=6 kv-heads=3 d-k=8 d-v=9 latent=14"

void derived_free(Derived *d);

/* A term of a piece of a head; NULL if it has no more. */
const Term *term_of(const Derived *d, int head, int piece, int number);

/* The symbol of head `head` that is where s is in its own; NULL if there is
   none. */
const Symbol *symbol_of(const Derived *d, int head, const Symbol *s);

/* Are the terms of all heads the same, except for which columns they take? */
bool heads_alike(const Derived *d);

/* What a term is; if nothing is in it, a multiple of the identity with that
   many rows. Its entries are to be freed. */
Matrix term_value(const Term *t, int rows);

/* How far the derived form is from the one that the probe finds of a variant at
   its weights, relative to the largest entry: NaN if the probe finds none. */
double derived_apart(const Derived *d, const Derived *probed);

/* A distance above this is more than rounding. */
#define APART (sizeof(real) == 4 ? 1e-4 : 1e-12)

#endif
