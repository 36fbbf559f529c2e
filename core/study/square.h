/* square.h - the figure of equiv: each trained variant, as each other one. */
#ifndef SQUARE_H
#define SQUARE_H

#include <stdbool.h>

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

/* What figures/equivalence.tsv of an experiment says, or that of the double
   program; count 0 where it has none. Fails where it is no square. Positions
   that stand between q and k, "rope" or "alibi", decide what is the same: their
   square has a file of its own, equivalence-rope.tsv; "" for all others. */
Square square_read(const char *experiment, const char *positions,
                   bool in_double);

void square_draw(const Square *s, const char *positions, bool in_double,
                 const Drawing *o);

#endif
