/* matmul_t.h - the operator A B', and how operators are made that multiply two
   matrices head by head. */
#ifndef MATMUL_T_H
#define MATMUL_T_H

#include "heart/operators.h"

/* An operator that is a product C_i = A_i B_i, or C_i = A_i B_i' if the second
   factor is TRANSPOSED. It has as many parts i as C has heads. `part` returns
   part i of A, B or C (FIRST, SECOND or RESULT), with its entries at `at`,
   which is the value of that matrix or its gradient. */
typedef enum { FIRST, SECOND, RESULT } Factor;
typedef struct ProductOp {
    Operator op; /* first, so that a node's op is the address of this */
    Matrix (*part)(const Node *c, int i, Factor which, real *at);
    enum { AS_IS, TRANSPOSED } second;
} ProductOp;

void product_forward(Node *c);
void product_backward(Node *c);
#define PRODUCT_OF(NAME, PART, SECOND_IS)                          \
    {                                                              \
        {NAME, product_forward, product_backward}, PART, SECOND_IS \
    }

extern const ProductOp matmul_t_op;

#endif
