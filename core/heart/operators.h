/* operators.h - how operators make their nodes, and the operators that the
   heart's models are made of. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include <qkv/operator.h>

#include "heart/matrix.h"

/* The properties of a new node. If rows, cols, heads or sequences is 0, the
   node takes that number from its first operand. */
typedef struct Made {
    int rows, cols, heads, sequences;
    const void *arguments; /* copied; NULL: none */
    size_t size;           /* of the arguments, in bytes */
    size_t keeps;          /* entries of c->kept */
} Made;

/* For calls of make: the operands and their number; the arguments and their
   size. */
#define OF(...)                   \
    (Node *const[]){__VA_ARGS__}, \
        (int)(sizeof((Node *[]){__VA_ARGS__}) / sizeof(Node *))
#define WITH(...) .arguments = &(__VA_ARGS__), .size = sizeof(__VA_ARGS__)

/* A new node of an operator and its operands, computed:
   make(&op, OF(a, b), (Made){.cols = b->cols, WITH(factor)}). */
Node *make(const Operator *op, Node *const *in, int inputs, Made with);

/* Aborts with both shapes, because operator `name` cannot take them. `wanted`
   says what would fit. */
_Noreturn void mismatch(const char *name, const Node *a, const Node *b,
                        const char *wanted);

/* An operator that is linear and has no weights, such as one that moves
   entries: C is the sum of L A over its operands A. `add` does both passes for
   operand k. In the forward pass it adds of_c += L of_k, with the values; if
   `back`, it adds the transpose, of_k += L' of_c, with the gradients. */
typedef void LinearAdd(const Node *c, int k, real *of_c, real *of_k, bool back);
typedef struct LinearOp {
    Operator op; /* first, so that a node's op is the address of this */
    LinearAdd *add;
} LinearOp;
void linear_forward(Node *c);
void linear_backward(Node *c);
#define LINEAR(NAME, ADD)                            \
    {                                                \
        {NAME, linear_forward, linear_backward}, ADD \
    }

/* of_c += of_k or, if `back`, of_k += of_c, for n neighbouring entries. */
void add_between(real *of_c, real *of_k, int n, bool back);

/* A + B of one shape. (`add`, for plugins, also repeats a smaller B.) */
Node *residual(Node *a, Node *b);

/* The backward pass of an operator of one operand A that keeps the derivative
   f'(A) of each entry. */
void slope_backward(Node *c);

/* c->op tells which operator made c. (Its name is only for messages, since a
   plugin's operator may have the same name.) Every operator of the core has
   such a constant, and a row in algebra/operator_table.c. */
extern const Operator matmul_op, add_op, gelu_op;

#endif
