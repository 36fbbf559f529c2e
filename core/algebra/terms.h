/* terms.h - a derived form: its terms, each a product of a plugin's matrices.

   derive() (derive.h) makes the form; these functions read it. It has a few
   pieces for each head, as M_i and N_i; a piece is a sum of terms; a term is a
   factor times a product of one chain of matrices or, in M_i, of two. */
#ifndef TERMS_H
#define TERMS_H

#include "algebra/canonical.h"
#include "algebra/capture.h"

/* Some of the rows or columns of a matrix: `count` of `all`, from `first` on.
 */
typedef struct Span {
    int first, count, all;
} Span;

/* The pieces of a head: M_i and its last row, N_i and its last row; and the row
   that is added to every token without attention, which every head repeats. */
typedef enum { M_PIECE, M_ROW, N_PIECE, N_ROW, CONSTANT, PIECES } Piece;

/* A factor of a product: the part m of the leaf `node`. Tokens count as the
   identity matrix, and a row of gains as a diagonal one. `node` has an operator
   (node->op) only if that is no product with a matrix; then m has no meaning.
 */
typedef struct Symbol {
    const Node *node;
    Matrix m;
    char role; /* what its chain makes: 'q' queries, 'k' keys, 'v' the output */
    /* Its address: the piece and the number of its term, the side of its chain,
       and its place there. The other heads have their symbols at the same
       addresses. */
    Piece piece;
    int number, side, place;
} Symbol;

/* A product of matrices, and the tokens that it begins with: "x", "y", or NULL
   if it begins with a bias. */
enum { MOST_SYMBOLS = 16 };
typedef struct Chain {
    const char *tokens;
    int count;
    Symbol symbol[MOST_SYMBOLS];
} Chain;

/* The chains of a term are factor Q K': K makes the keys, and only terms of M_i
   have it. Q makes the queries, or else the output. */
enum { Q_SIDE, K_SIDE, SIDES };

typedef struct Term {
    Piece piece;
    int head;   /* 0 is the variant's last head, and so on backwards */
    int number; /* its number among the terms of its piece and head */
    double factor;
    int width; /* the narrowest width in it, which bounds its rank */
    Chain chain[SIDES];
} Term;

typedef struct Derived {
    BlockRun run; /* the forward pass that it was derived from */
    int heads;
    Term *term; /* the terms of all pieces and heads */
    int count, capacity;
    const char *why; /* why there is no form; NULL if there is one */
} Derived;

/* Returns whether two numbers, computed in different ways, are equal up to
   rounding. */
bool nearly_equal(double a, double b);

/* Term `number`, counted from FIRST_TERM, of a piece of a head; NULL if there
   are fewer. */
enum { FIRST_TERM = 0 };
const Term *term_of(const Derived *d, int head, Piece piece, int number);

/* A bound of the rank of a piece of a head, whatever its weights are: the sum
   of its terms' widths, less if terms begin or end with one matrix, and at most
   d_model. */
int rank_bound(const Derived *d, int head, Piece piece);

/* The symbol that head `head` has at the address of s; NULL if it has none
   there, or one of an unrelated matrix. */
const Symbol *symbol_of(const Derived *d, int head, const Symbol *s);

/* Returns whether a symbol is the transpose of a part of its stored matrix. */
bool is_transposed(const Symbol *s);

/* Returns whether n is x or y, the tokens of the forward pass that was
   derived. */
bool is_tokens(const Derived *d, const Node *n);

/* The matrix of weights that n is, or the columns of it that n is; its `node`
   is NULL if n is neither. */
Symbol weights_of(const Derived *d, const Node *n);

/* Gains multiply entry by entry, as a diagonal matrix does: gains_matrix is
   that of `count` gains of a row, from column `first` on. is_gains tells
   whether a symbol is such a matrix, and first_gain where it begins in its row.
 */
Matrix gains_matrix(const Node *row, int first, int count);
bool is_gains(const Symbol *s);
int first_gain(const Symbol *s);

/* Returns whether all heads have the same terms, apart from which columns they
   use. */
bool heads_alike(const Derived *d);

/* Computes a term. A term without matrices is its factor times the identity,
   which then has `identity_rows` rows. The caller frees the entries (.at). */
Matrix term_value(const Term *t, int identity_rows);

/* The largest difference between the entries of the derived form and of the one
   that canonical_form probes with the same matrices, relative to the largest
   entry; NaN if the probe finds no form. */
double derived_apart(const Derived *d);

/* A result of derived_apart above this is more than rounding. */
#define APART (sizeof(real) == 4 ? 1e-4 : 1e-12)

#endif
