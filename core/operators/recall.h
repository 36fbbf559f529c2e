/* recall.h - nodes of earlier blocks (remember, recall), and rows of earlier
   tokens (shift). */
#ifndef RECALL_H
#define RECALL_H

#include "heart/operators.h"

extern const LinearOp shift_op;

#endif
