/* columns.h - operators that take the columns of each head, or put columns side
   by side. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "heart/operators.h"

/* The argument of columns is the number of the first one, an int. */
extern const LinearOperator columns_op, concat_op;

#endif
