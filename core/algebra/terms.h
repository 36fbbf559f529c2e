/* terms.h - a derived form: its terms, each a product of a plugin's matrices.

   derive() (derive.h) makes it; these functions read it. */
#ifndef TERMS_H
#define TERMS_H

#include "algebra/canonical.h"
#include "algebra/capture.h"

/* A factor of a product: a part m of the leaf `of`. Tokens count as the
   identity matrix, and a row of gains as a diagonal one. For an operator that
   is no product with a matrix, m has no meaning. */
typedef struct Symbol {
    const Node *of;
    Matrix m;
    char role; /* the role of its product: q, k or v */
    /* Its place: the piece and number of its term, the chain (side), and the
       place in that chain. Other heads have theirs at the same place. */
    int piece, number, side, place;
} Symbol;

/* A product of matrices, and the tokens that it begins with: "x", "y", or NULL.
 */
enum { MOST_SYMBOLS = 16 };
typedef struct Chain {
    const char *tokens;
    int count;
    Symbol of[MOST_SYMBOLS];
} Chain;

/* The pieces of a head: M_i and its last row, N_i and its last row; and the row
   that is added to every token without attention, which every head repeats. */
enum { M_PIECE, M_ROW, N_PIECE, N_ROW, CONSTANT, PIECES };

/* One product of a piece: factor Q K'. Only scores have the second chain, K. */
typedef struct Term {
    int piece, head; /* head 0 is the last one, which is printed */
    int number;      /* its number among the terms of its piece and head */
    double factor;
    int width; /* the narrowest width in it, which bounds its rank */
    Chain chain[2];
} Term;

typedef struct Derived {
    Alone run;
    int heads;
    Term *term; /* the terms of all pieces and heads */
    int count, capacity;
    const char *why; /* why there is no form; NULL if there is one */
} Derived;

/* Term `number` of a piece of a head, counted from 0; NULL if there are fewer.
 */
const Term *term_of(const Derived *d, int head, int piece, int number);

/* The largest rank that a piece of a head can have: the sum over its terms. */
int rank_bound(const Derived *d, int head, int piece);

/* The symbol of head `head` at the place of s; NULL if that head has none like
   it there. */
const Symbol *symbol_of(const Derived *d, int head, const Symbol *s);

/* Are the terms of all heads the same, except for the columns they use? */
bool heads_alike(const Derived *d);

/* Computes a term. An empty product is a multiple of the identity with `rows`
   rows. The caller frees its entries. */
Matrix term_value(const Term *t, int rows);

/* How far the derived form is from the one that the probe finds with the same
   matrices, relative to the largest entry; NaN if the probe finds none. */
double derived_apart(const Derived *d);

/* A difference above this is more than rounding. */
#define APART (sizeof(real) == 4 ? 1e-4 : 1e-12)

#endif
