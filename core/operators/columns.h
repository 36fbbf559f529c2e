/* columns.h - operators on the heads of a matrix: columns takes some columns of
   each head, concat joins matrices head by head, and mix_heads computes
   weighted sums of heads. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "operators/matmul_t.h"

/* The argument of columns is an int, the index of the first column that it
   takes from each head. */
extern const LinearOp columns_op, concat_op;

extern const ProductOp mix_heads_op;

#endif
