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
   entries: what it adds forward, its transpose adds backward. One function does
   both. It adds what operand k gives to C, of_c += L of_k; or, `back`, of_k +=
   L' of_c. */
typedef void LinearAdd(const Node *c, int k, real *of_c, real *of_k, bool back);
typedef struct Linear {
    Operator op; /* first: a node's op is the address of this */
    LinearAdd *add;
} Linear;
void linear_forward(Node *c);
void linear_backward(Node *c);
#define LINEAR linear_forward, linear_backward
LinearAdd add_to_heads; /* for operators that take, join or repeat columns */

/* of_c += of_k or, `back`, of_k += of_c, of n entries that follow another. */
void add_between(real *of_c, real *of_k, int n, bool back);

/* An operator that is a product, C = A B, in parts, one for each head of C.
   part(c, i, k, at) is part i of operand k, or of C itself if k is 2, in a
   matrix of its shape at `at`. If `transposed`, B is the transpose of what the
   second operand has there. */
typedef struct Product {
    Operator op; /* first, too */
    Matrix (*part)(const Node *c, int i, int k, real *at);
    bool transposed;
} Product;
void product_forward(Node *c);
void product_backward(Node *c);
void product_part_backward(Node *c, int i);
#define PRODUCT product_forward, product_backward

/* By c->op one knows which operator made c; its name is only for messages,
   since a plugin's operator may have the same one. Every operator of the core
   has such a constant, and a row in algebra/meaning.c. The argument of scale is
   its factor; those of map are its f and df. */
extern const Product matmul_op, matmul_t_op;
extern const Linear scale_op, spread_op; /* spread: what add repeats */
extern const Operator add_op, hadamard_op, map_op, tanh_op, sigmoid_op, gelu_op;
typedef struct Mapping {
    double (*f)(double), (*df)(double);
} Mapping;

#endif
