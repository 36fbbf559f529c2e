/* square.h - the figure of equiv: each trained variant, as each other one. */
#ifndef SQUARE_H
#define SQUARE_H

#include "study/drawing.h"

typedef struct SquareCell {
    double logits; /* the largest relative difference, NaN: none */
    enum { NONE, NEAREST, SAME } kind;
} SquareCell;

/* Row by row: trained as the row, written as the column. */
typedef struct Square {
    char **names;
    SquareCell *cells;
    int count;
} Square;

Square square_new(int count);
void square_free(Square *s);

/* Draws it as figure "equivalence", or "equivalence-WHICH" where that is no
   empty text: positions that stand between q and k, "rope" or "alibi", decide
   what is the same. */
void square_draw(const Square *s, const char *which, const Drawing *o);

#endif
