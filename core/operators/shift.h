/* shift.h - rows that move to later tokens. */
#ifndef SHIFT_H
#define SHIFT_H

#include "heart/operators.h"

extern const LinearOperator shift_op;

#endif
