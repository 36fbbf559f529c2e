/* columns.h - the products of the columns of heads with one another.

       HeadColumns c = columns_read(layers, count, QUERY);
       const real *product = columns_product(&c, one, two);
       columns_free(&c);

   The heads are those of one map in several layers, which are numbered through:
   after the heads of the first layer come the heads of the second. A bias is
   part of its column if it counts (bias_counts).

   Products of rotated columns are means over all rotations. As a complex
   number, a rotated pair of columns is x + iy; the mean leaves only products of
   a pair with the same pair of another head, in the form [x y; -y x], which is
   the matrix of a complex number. */
#ifndef MODELS_COLUMNS_H
#define MODELS_COLUMNS_H

#include <qkv/real.h>

#include "models/heads.h"

typedef struct HeadColumns {
    int heads;       /* in all layers together */
    int width, rope; /* the columns of a head, and how many are rotated */
    int length;      /* of a column, whose last entry is its bias */
    real *entries;   /* the columns, one after the other */
    real **product;  /* product[one * heads + two]; NULL until it is needed */
} HeadColumns;

/* Reads the columns of a map in `count` layers of one shape. */
HeadColumns columns_read(const Heads *const layers[], int count, int map);

/* The products of the columns of two heads, X'Y (width x width). Each is
   computed once, and kept until columns_free. */
const real *columns_product(HeadColumns *c, int one, int two);

void columns_free(HeadColumns *c);

#endif
