/* columns.h - operators that take, join or mix the heads of a matrix. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "operators/product.h"

/* The argument of columns is the number of the first one, an int. */
extern const LinearOp columns_op, concat_op;

extern const ProductOp mix_heads_op;

#endif
