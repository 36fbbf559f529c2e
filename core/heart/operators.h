/* operators.h - how operators make their nodes, and the operators that the
   heart's models are made of.

   In comments, A and B are the values of a node's operands, and C is its own
   value. dX is the gradient of the loss with respect to X. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include <qkv/operator.h>

#include "heart/matrix.h"

/* The specification of a new node. If rows, cols, heads or sequences is 0, the
   node takes that number from its first operand. */
typedef struct Spec {
    int rows, cols, heads, sequences;
    const void *arguments; /* to be copied to the node, or NULL */
    size_t size;           /* of the arguments, in bytes */
    size_t keeps;          /* entries of the node's `kept` */
} Spec;

/* For calls of make. OF(a, b) is its parameters `in` and `inputs`: the operands
   and their number. WITH(x) sets the fields `arguments` and `size` of a Spec to
   the address and the size of x. */
#define OF(...)                   \
    (Node *const[]){__VA_ARGS__}, \
        (int)(sizeof((Node *[]){__VA_ARGS__}) / sizeof(Node *))
#define WITH(...) .arguments = &(__VA_ARGS__), .size = sizeof(__VA_ARGS__)

/* Makes a node of an operator and its operands, and computes its value:
   make(&op, OF(a, b), (Spec){.cols = b->cols, WITH(factor)}). */
Node *make(const Operator *op, Node *const *in, int inputs, Spec with);

/* Aborts with both shapes, because operator `name` cannot take them. `wanted`
   is text that says what would fit. */
_Noreturn void mismatch(const char *name, const Node *a, const Node *b,
                        const char *wanted);

/* A linear operator without weights, such as one that moves entries: C is the
   sum of L_k A_k over its operands A_k, with a fixed linear map L_k for each.
   `add` does both passes for operand k, because the backward pass makes the
   same moves in the other direction. Forward, of_c and of_k are the values of C
   and of A_k, and it adds of_c += L_k of_k. If `back`, they are the gradients,
   and it adds the transpose, of_k += L_k' of_c. */
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

/* For use in an `add`: of_c += of_k or, if `back`, of_k += of_c, for n
   neighbouring entries. */
void add_between(real *of_c, real *of_k, int n, bool back);

/* A + B, for A and B of one shape, as in x + attention(x). (`add`, for plugins,
   also repeats a smaller B.) */
Node *residual(Node *a, Node *b);

/* The backward pass of an operator C = f(A), entry by entry, whose forward pass
   left the slopes f'(A) in c->kept. */
void slope_backward(Node *c);

/* c->op tells which operator made c. (Its name is only for messages, since a
   plugin's operator may have the same name.) Every operator of the core has
   such a constant, and a row in algebra/operator_table.c. */
extern const Operator matmul_op, add_op, gelu_op;

#endif
