/* recall.h - nodes of earlier blocks, and rows of earlier tokens. */
#ifndef RECALL_H
#define RECALL_H

#include "heart/operators.h"

extern const LinearOp shift_op;

#endif
