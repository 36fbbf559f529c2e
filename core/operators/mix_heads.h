/* mix_heads.h - heads that are weighted sums of heads. */
#ifndef MIX_HEADS_H
#define MIX_HEADS_H

#include "heart/operators.h"

extern const ProductOperator mix_heads_op;

#endif
