/* columns.h - the products of the columns of heads with one another.

       HeadColumns c = columns_read(layers, count, QUERY);
       const real *product = columns_product(&c, one, two);
       columns_free(&c);

   The heads are those of one map in several layers, numbered through: first the
   heads of the first layer, then the heads of the second. Biases are in the
   products if they are part of a head (bias_counts). Those of rotated columns
   are means over all rotations, which leave only that part of the 2 x 2 of a
   pair which is a rotation and a factor, [x y; -y x]. */
#ifndef MODELS_COLUMNS_H
#define MODELS_COLUMNS_H

#include <qkv/real.h>

#include "models/heads.h"

typedef struct HeadColumns {
    int heads, width, rope;
    int length;     /* of a column, whose last entry is its bias */
    real *entries;  /* the columns, one after the other */
    real **product; /* of two heads each; NULL until it is asked for */
} HeadColumns;
HeadColumns columns_read(const Heads *const layers[], int count, int map);

/* The products of the columns of two heads, X'Y (width x width). It is computed
   when it is asked for first, and kept until columns_free. */
const real *columns_product(HeadColumns *c, int one, int two);

void columns_free(HeadColumns *c);

#endif
