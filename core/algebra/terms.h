/* terms.h - a derived form: its terms, each a product of a plugin's matrices.

   derive() (derive.h) makes the form; these functions read it. A form has a few
   pieces for each head, among them M_i and N_i (canonical.h). A piece is a sum
   of terms. A term is a factor times one chain of matrices or, in M_i, two:
   one for the queries and one for the keys. */
#ifndef TERMS_H
#define TERMS_H

#include "algebra/canonical.h"
#include "algebra/capture.h"

/* Some neighbouring rows or columns of a matrix: `count` of `all`, from `first`
   on. */
typedef struct Span {
    int first, count, all;
} Span;

/* The pieces of a head. M_ROW and N_ROW are the last rows of M_i and N_i, which
   come from biases. CONSTANT is the row that is added to every token without
   attention; every head repeats it. */
typedef enum { M_PIECE, M_ROW, N_PIECE, N_ROW, CONSTANT, PIECES } Piece;

/* A factor of a product: m, a part of the leaf `node`. Tokens count as the
   identity matrix, and a row of gains as a diagonal matrix. If `node` has an
   operator (node->op), the symbol is this operator, which is not a product with
   a matrix, and m has no meaning. */
typedef struct Symbol {
    const Node *node;
    Matrix m;
    char role; /* what its chain makes: 'q' queries, 'k' keys, 'v' the output */
    /* The symbol's address: the piece and the number of its term, the side of
       its chain, and its place in the chain. The corresponding symbols of other
       heads have the same address. */
    Piece piece;
    int number, side, place;
} Symbol;

/* A product of matrices, and the tokens with which it begins: "x", "y", or NULL
   if it begins with a bias. */
enum { MOST_SYMBOLS = 16 };
typedef struct Chain {
    const char *tokens;
    int count;
    Symbol symbol[MOST_SYMBOLS];
} Chain;

/* A term is factor Q K'. In M_PIECE and M_ROW its chain Q makes the queries,
   and its chain K the keys. In the other pieces Q makes the output, and K is
   empty. */
enum { Q_SIDE, K_SIDE, SIDES };

typedef struct Term {
    Piece piece;
    int head;   /* counted backwards: 0 is the variant's last head */
    int number; /* among the terms of the same piece and head */
    double factor;
    double factor_there; /* of the same term in Derived.there, once it is set;
                            NAN if there is none */
    int width; /* the smallest width of its matrices, which bounds its rank */
    Chain chain[SIDES];
} Term;

typedef struct Derived {
    BlockRun run; /* the forward pass from which it was derived */
    int heads;    /* of all calls of attend; 0 if there is none */
    Term *term;   /* the terms of all pieces and heads */
    int count, capacity;
    const char *why; /* why there is no form; NULL if there is one */
    const struct Derived *there; /* the form at another shape; NULL if it is not
                                    known */
} Derived;

/* Makes each of two forms of a variant, at different shapes, the `there` of the
   other. A number is then printed by a name only if it has that name at both
   shapes. */
void pair_forms(Derived *d, Derived *other);

/* The head of d->there that has the number of `head`, counted from the first of
   its call; the last of the call if that has fewer heads. */
int head_there(const Derived *d, int head);

/* Returns whether two numbers, computed in different ways, are equal up to
   rounding. */
bool nearly_equal(double a, double b);

/* Term `number` of a piece of a head, counted from FIRST_TERM; NULL if the
   piece has fewer terms. */
enum { FIRST_TERM = 0 };
const Term *term_of(const Derived *d, int head, Piece piece, int number);

/* An upper bound for the rank of a piece of a head, whatever its weights are:
   the sum of its terms' widths, less if several terms begin or end with the
   same matrix, and at most d_model. */
int rank_bound(const Derived *d, int head, Piece piece);

/* The symbol of head `head` at the address of s. NULL if the head has no symbol
   there, or one that is not related to s: another operator, or a matrix that
   differs in more than the number in its name. */
const Symbol *symbol_of(const Derived *d, int head, const Symbol *s);

/* Returns whether a symbol is a part of its stored matrix, transposed. */
bool is_transposed(const Symbol *s);

/* Returns whether n is x or y, the tokens of the forward pass that was
   derived. */
bool is_tokens(const Derived *d, const Node *n);

/* If n is a matrix of weights, or some columns of one, returns these as a
   symbol; otherwise returns a symbol whose `node` is NULL. */
Symbol weights_of(const Derived *d, const Node *n);

/* To multiply by a row of gains entry by entry is to multiply by a diagonal
   matrix. gains_matrix returns this matrix for `count` gains of a row, from
   column `first` on. */
Matrix gains_matrix(const Node *row, int first, int count);

/* Returns whether a symbol is a matrix that gains_matrix made. */
bool is_gains(const Symbol *s);

/* The column `first` from which gains_matrix made this symbol's matrix. */
int first_gain(const Symbol *s);

/* Returns whether all heads have the same terms, except that they may use
   different parts of a matrix, or matrices that differ only in the number in
   their names. */
bool heads_alike(const Derived *d);

/* Computes a term. A term without matrices is its factor times the identity,
   which then has `identity_rows` rows. The caller frees the entries (.at). */
Matrix term_value(const Term *t, int identity_rows);

/* Returns whether canonical_form, which probes the code, finds the derived form
   with the same matrices, up to rounding. */
bool probe_confirms(const Derived *d);

#endif
