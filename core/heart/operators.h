/* operators.h - what the nodes of some operators are. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include <stdbool.h>

#include <qkv/operator.h>

/* Did matmul make it? (Its operands are n->in[0] and n->in[1].) */
bool is_product(const Node *n);

/* What `map` was given for n; NULL for another operator's node. */
typedef struct Mapping {
    double (*f)(double), (*df)(double);
} Mapping;
const Mapping *mapping_of(const Node *n);

#endif
