/* print_form.h - a derived form as a paper writes it:
   "W^Q W_i^Q (W^K W_i^K)' / sqrt(d_k)".

   An index tells which block of a matrix a head uses. W_i^Q is the block of
   head i, W_{i+1}^Q that of the next head, and W_g^K the block that a group g
   of neighbouring heads shares. If the heads of a group are not neighbours, it
   is W_{i mod g}^K, with g the number of groups. W_i^Q[0:d_k/2] is half of head
   i's block, and W_i^QKV.q the part of it that makes queries. An operator that
   is not a product with a matrix is in brackets: "W^Q [tanh] W_i^Q". terms.h
   explains terms, pieces, and how heads are numbered. */
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

/* The head whose matrices are printed: the variant's last (terms.h). Any head
   would do, since an index tells how the others differ. */
enum { PRINTED_HEAD = 0 };

/* The form as an equation, "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V
   W_i^O", and " in the last head only" if heads differ. The caller frees it. */
char *form_spelled(const Derived *d);

/* Compares `telling`, the printed form of a variant at TELLING_SHAPE in block 2
   of 2, with `larger`, its form at LARGER_SHAPE in block 3 of 3. If both are
   the same text, the result is "". Otherwise the form has another number or
   another matrix at each shape, and the result is " at d-model=78 ..., block 2
   of 2, only", to be put after `telling`. */
const char *only_where(const char *telling, const char *larger);

/* The name of a matrix as an equation writes it, which may add the index of a
   head or a group: for "W^Q", the first of W^Q, W_i^Q and W_g^Q that is in the
   equation; NULL if none is. */
const char *name_in_equation(const char *equation, const char *name);

/* A number of a form at its own shape, and at that of Derived.there. */
typedef struct Number {
    double here, there;
} Number;

/* A number as a paper writes it, as a small multiple of 1, of a width, or of
   the square root of a width: "2", "d_k", "sqrt(d_k)" or "2 sqrt(d_k)"; NULL if
   it is none of these at both shapes. */
const char *number_named(const Derived *d, Number n);

#endif
