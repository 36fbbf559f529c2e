/* spell.h - a derived form as a paper writes it:
   "W^Q W_i^Q (W^K W_i^K)' / sqrt(d_k)".

   It is that of the last head, because its index i is no other one's: g is that
   of its group of keys, and l that of a sum over all heads. Texts are to be
   freed. */
#ifndef SPELL_H
#define SPELL_H

#include "algebra/derive.h"

/* A piece of the form (derive.h), or its constant if it is PIECES; and the
   whole, as an equation: "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V
   W_i^O". */
char *piece_spelled(const Derived *d, int piece);
char *form_spelled(const Derived *d);

/* The same of a variant; or "none: tanh between W^Q and W_i^Q". */
char *variant_spelled(const Variant *v);

/* The matrices of a term of a piece. */
char *term_spelled(const Derived *d, int piece, const Term *t);

/* What the rank of a piece is at most, which it is at random weights: "d_k". */
char *rank_spelled(const Derived *d, int piece);

/* Does a plugin's equation say what was derived? It is compared if it begins
   with softmax( and uses no other names: letter by letter, spaces aside, up to
   a semicolon or dots. It may leave out the last map, W_i^O. */
typedef enum { FOR_PEOPLE, AGREES, DISAGREES } Reading;
Reading equation_read(const char *equation, const Derived *d);

#endif
