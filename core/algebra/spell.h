/* spell.h - a derived form as a paper writes it:
   "W^Q W_i^Q (W^K W_i^K)' / sqrt(d_k)".

   i is the index of a head, g that of its group of keys. Which block of a
   matrix a head takes is part of the form: W_{i+1}^Q is the next head's, W_{i
   mod g}^K that of a group whose heads are not neighbours, W_i^Q[0:d_k/2] only
   half of its own. What is opaque is in brackets: "W^Q [tanh] W_i^Q". */
#ifndef SPELL_H
#define SPELL_H

#include <stdio.h>

#include "algebra/derive.h"

/* Prints a term, with its tokens or without; and a piece of a head: of more
   than two terms only the first and the last. */
void print_term(FILE *to, const Derived *d, const Term *t, bool tokens);
void print_piece(FILE *to, const Derived *d, int head, int piece, bool tokens);

/* The form as an equation: "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V
   W_i^O"; to be freed. */
char *form_spelled(const Derived *d);

/* The name of a width, "d_k", or NULL. */
const char *width_named(const Derived *d, double width);

#endif
