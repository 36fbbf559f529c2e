/* symbols.h - the nodes of a forward pass, as sums of products of symbols.

   A node knows its operator and its operands, so what it computes can be read
   off: from x to the scores, a chain of matrices that do not commute. A head is
   a product with columns of the identity, a gain is a diagonal, and what is not
   linear is an atom, which is named and not opened. Terms are on the tape of
   the nodes, and forgotten with it. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>

#include "heart/tape.h"

/* ONES is a column with a 1 for each token, by which a bias is multiplied. */
typedef enum { TOKENS, ONES, ATOM, MATRIX, DIAGONAL, SCALAR } SymbolKind;

typedef struct Symbol {
    SymbolKind kind;
    const Node *of;           /* the leaf, NULL: the identity; or the atom */
    int row, rows, col, cols; /* the part of the leaf */
    int head;                 /* of an atom */
    bool transposed;
} Symbol;

/* A product, and the one that is added to it, or NULL. No term is 0. */
enum { MOST_SYMBOLS = 16, MOST_NUMBERS = 4 };
typedef struct Term {
    struct Term *next;
    double factor;
    int count, numbers;
    Symbol of[MOST_SYMBOLS];
    Symbol number[MOST_NUMBERS]; /* single entries, which commute with all */
} Term;

/* What a node computes; and the scores behind an atom that is a softmax. */
Term *symbols_of(const Node *n);
Term *scores_behind(const Symbol *atom);

bool is_softmax(const Symbol *s);
bool sums_to_1(const Symbol *atom); /* each of its rows, as there is no sink */

/* The terms of a and b, of which a is the sum from then on. */
Term *joined_sums(Term *a, Term *b);

Term *transpose_of(Tape *t, const Term *a);

/* The name of a weight, or NULL; the shape of a matrix or a diagonal. */
const char *weight_name(const Symbol *s);
int symbol_rows(const Symbol *s);
int symbol_cols(const Symbol *s);

/* Entry i, j of a matrix or diagonal in its leaf; NULL if it is none's. */
real *symbol_entry(const Symbol *s, int i, int j);

/* The matrices of a term are its symbols *first .. *end - 1. */
void matrices_of(const Term *t, int *first, int *end);

/* Writes the sum (rows x cols) of terms, of the values of the weights between
   their tokens; or its slope: how it moves if they move by their gradients. */
void symbols_value(const Term *sum, int rows, int cols, double *to, bool slope);

#endif
