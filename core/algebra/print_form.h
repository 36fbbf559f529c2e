/* print_form.h - a derived form as a paper writes it:
   "W^Q W_i^Q (W^K W_i^K)' / sqrt(d_k)".

   i is the index of a head, g that of its group of keys. The block of a matrix
   that a head uses is part of the form: W_{i+1}^Q is the next head's block,
   W_{i mod g}^K the block of a group whose heads are not neighbours,
   W_i^Q[0:d_k/2] half of the head's own block. Operators that are no product
   with a matrix are in brackets: "W^Q [tanh] W_i^Q". A piece and a head are
   those of terms.h. */
#ifndef PRINT_FORM_H
#define PRINT_FORM_H

#include <stdio.h>

#include "algebra/derive.h"

/* Whether a term is printed with the tokens that its matrices multiply: only
   "W_i^V W_i^O", or "y W_i^V W_i^O". */
typedef enum Shown { ONLY_MATRICES, WITH_TOKENS } Shown;

void print_term(FILE *to, const Derived *d, const Term *t, Shown shown);

/* Prints the terms of a piece of a head: the first and the last, with dots
   between if there are more. Prints nothing if the head has no such piece. */
void print_piece(FILE *to, const Derived *d, int head, Piece piece,
                 Shown shown);

/* The head in whose matrices a form is written. Any head would do: an index
   tells how the others differ. */
enum { PRINTED_HEAD = 0 };

/* The form as an equation, "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V
   W_i^O". The caller frees it. */
char *form_spelled(const Derived *d);

/* The name of a matrix with the index that it has in an equation, for a head or
   a group: for "W^Q", the first of W^Q, W_i^Q and W_g^Q that the equation has;
   NULL if it has none. */
const char *name_in_equation(const char *equation, const char *name);

/* A number made of a width, as a paper writes it: "2", "d_k", "sqrt(d_k)" or
   "2 sqrt(d_k)"; NULL if it is none of these. */
const char *number_named(const Derived *d, double number);

#endif
