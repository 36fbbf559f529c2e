/* attention.h - attention as one operator: what its nodes are. */
#ifndef ATTENTION_H
#define ATTENTION_H

#include <qkv/operator.h>

/* n->op of a node that attend made; its arguments: attend.h. */
extern const Operator attend_op;

#endif
