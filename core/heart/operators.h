/* operators.h - how operators make their nodes, and what the nodes of some are.
 */
#ifndef OPERATORS_H
#define OPERATORS_H

#include <qkv/operator.h>

#include "heart/matrix.h"

/* What a new node has of its own. It has the rows, columns, heads and sequences
   of its first operand where 0 stands for them here. */
typedef struct Made {
    int rows, cols, heads, sequences;
    const void *arguments; /* copied; NULL: none */
    size_t size;           /* of the arguments, in bytes */
    size_t keeps;          /* entries of c->kept */
} Made;

/* The operands of a node, and how many they are; a node's arguments. */
#define OF(...)                   \
    (Node *const[]){__VA_ARGS__}, \
        (int)(sizeof((Node *[]){__VA_ARGS__}) / sizeof(Node *))
#define WITH(...) .arguments = &(__VA_ARGS__), .size = sizeof(__VA_ARGS__)

/* A new node of an operator and its operands, computed:
   make(&op, OF(a, b), (Made){.cols = b->cols, WITH(factor)}). */
Node *make(const Operator *op, Node *const *in, int inputs, Made with);

/* Aborts: the operands of `name` do not fit, and what would. */
_Noreturn void mismatch(const char *name, const Node *a, const Node *b,
                        const char *wanted);

/* An operator that is linear and has no weights, such as one that moves
   entries. `add` does both passes: forward it adds what operand k gives to C,
   of_c += L of_k; `back`, it adds the transpose, of_k += L' of_c. */
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

/* of_c += of_k or, `back`, of_k += of_c, for n entries in a row. */
void add_between(real *of_c, real *of_k, int n, bool back);

/* A + B of one shape. (`add`, for plugins, also repeats a smaller B.) */
Node *residual(Node *a, Node *b);

/* The backward pass of an operator of one operand A that keeps the derivative
   f'(A) of each entry. */
void slope_backward(Node *c);

/* c->op tells which operator made c. (Its name is only for messages, since a
   plugin's operator may have the same name.) Every operator of the core has
   such a constant, and a row in algebra/meaning.c. */
extern const Operator matmul_op, add_op, gelu_op;

#endif
