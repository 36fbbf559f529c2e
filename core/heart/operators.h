/* operators.h - how operators make their nodes, and what the nodes of some are.
 */
#ifndef OPERATORS_H
#define OPERATORS_H

#include <qkv/operator.h>

/* What a new node has of its own. It has the rows, columns, heads and sequences
   of `like`, or of its first operand, where 0 stands for them here. */
typedef struct Made {
    const Node *like;
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
#define LINEAR(name, add)                            \
    {                                                \
        {name, linear_forward, linear_backward}, add \
    }
void linear_forward(Node *c);
void linear_backward(Node *c);
LinearAdd add_to_heads; /* for operators that take, join or repeat columns */

/* By c->op one knows which operator made c. The arguments of map are its f and
   df. */
extern const Operator matmul_op;
extern const Operator matmul_t_op;
extern const Operator map_op;
typedef struct Mapping {
    double (*f)(double), (*df)(double);
} Mapping;

#endif
