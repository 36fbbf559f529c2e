/* memory.h - nodes of earlier blocks, and rows of earlier tokens. */
#ifndef MEMORY_H
#define MEMORY_H

#include "heart/operators.h"

extern const LinearOp shift_op;

#endif
