/* print_form.h - a derived form as a paper writes it:
   "W^Q W_i^Q (W^K W_i^K)' / sqrt(d_k)".

   i is the index of a head, and g the index of the group of heads that share
   its keys. An index tells which block of a matrix a head uses: W_{i+1}^Q is
   the next head's block, and W_{i mod g}^K the block of a group whose heads are
   not neighbours. W_i^Q[0:d_k/2] is half of the head's own block. An operator
   that is not a product with a matrix is in brackets: "W^Q [tanh] W_i^Q".
   terms.h explains terms, pieces, and how heads are numbered. */
#ifndef PRINT_FORM_H
#define PRINT_FORM_H

#include <stdio.h>

#include "algebra/derive.h"

/* Whether a term is printed without or with the tokens that its matrices
   multiply: "W_i^V W_i^O" or "y W_i^V W_i^O". */
typedef enum Shown { ONLY_MATRICES, WITH_TOKENS } Shown;

/* Prints a term with its factor: "W_i^Q (W_i^K)' / sqrt(d_k)". */
void print_term(FILE *to, const Derived *d, const Term *t, Shown shown);

/* Prints the terms of a piece of a head: the first and the last, with dots
   between if there are more. Prints nothing if the head has no such piece. */
void print_piece(FILE *to, const Derived *d, int head, Piece piece,
                 Shown shown);

/* The head whose matrices are printed. Any head would do, since an index tells
   how the others differ. */
enum { PRINTED_HEAD = 0 };

/* The form as an equation, "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V
   W_i^O", and " in the last head only" if heads differ. The caller frees it. */
char *form_spelled(const Derived *d);

/* A text of a form names numbers after the widths that have their values at
   TELLING_SHAPE, in the second of two blocks. The names are right if the text
   is the same at LARGER_SHAPE, in the last of four blocks: then this returns
   "". Otherwise it returns " at d-model=78 ... only", to be put after the text.
 */
const char *only_where(const char *telling, const char *larger);

/* The name of a matrix as an equation writes it, which may add the index of a
   head or a group: for "W^Q", the first of W^Q, W_i^Q and W_g^Q that is in the
   equation; NULL if none is. */
const char *name_in_equation(const char *equation, const char *name);

/* A number as a paper writes it, as a small multiple of 1, of a width, or of
   the square root of a width: "2", "d_k", "sqrt(d_k)" or "2 sqrt(d_k)"; NULL if
   it is none of these. Only another shape shows whether the number is made from
   that width (only_where). */
const char *number_named(const Derived *d, double number);

#endif
