/* columns.h - the products of the columns of any two heads.

       HeadColumns c = columns_read(layers, count, QUERY);
       const real *product = columns_product(&c, one, two);
       columns_free(&c);

   The heads are those of one map in several layers, numbered consecutively. A
   column ends with its bias, or with 0 if the bias does not count
   (bias_counts).

   A rotation turns a rotated pair of columns by the same angle in all heads.
   Products of rotated columns are means over all angles. So the product of two
   pairs is 0, unless they have the same place in their heads. Then it has the
   form [x y; -y x], the matrix of the complex number x + iy. */
#ifndef MODELS_COLUMNS_H
#define MODELS_COLUMNS_H

#include <qkv/real.h>

#include "models/heads.h"

typedef struct HeadColumns {
    int heads;       /* in all layers together */
    int width, rope; /* the columns of a head, and how many are rotated */
    int length;      /* the entries of a column, d_model + 1 */
    real *entries;   /* the columns, one after the other */
    real **product;  /* product[one * heads + two] is the product of heads `one`
                        and `two`; NULL until it is needed */
} HeadColumns;

/* Reads the columns of a map in `count` layers of one shape. */
HeadColumns columns_read(const Heads *const layers[], int count, int map);

/* The product X'Y (width x width), where X has the columns of head `one`, and Y
   the columns of head `two`. The product is kept until columns_free. */
const real *columns_product(HeadColumns *c, int one, int two);

void columns_free(HeadColumns *c);

#endif
