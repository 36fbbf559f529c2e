/* operator_table.h - what each operator computes, for code that reads a tape:
   derive.c, which writes a node as a product of matrices, and cost.c.

   An operator is recognised by its address, never by its name, since a plugin's
   own operator may also be called "add". The table in operator_table.c has a
   row for each operator of the core. Nothing is known about other operators. */
#ifndef OPERATOR_TABLE_H
#define OPERATOR_TABLE_H

#include <stdbool.h>

#include <qkv/operator.h>

/* How node C follows from its operands A and B, if derive.c can write C as a
   product of matrices. C_i is head i of C. */
typedef enum Passage {
    OPAQUE,       /* the operator is not a product of A with a matrix, or is
                     unknown */
    LEAF,         /* C has no operands: it is tokens, or weights */
    TIMES,        /* C = A B */
    TIMES_TURNED, /* C = A B' */
    FACTOR,       /* C = a number times A; the number is the node's argument, a
                     double */
    SUM,          /* C = A + B */
    COLUMNS,      /* C_i = some columns of A_i; the number of the first is the
                     node's argument, an int */
    SIDE_BY_SIDE, /* C_i = [A_i B_i ...] */
    REPEATED,     /* C has copies of A in every row or head */
    GAIN,         /* C = A . B, entry by entry: if B is one row, a product of A
                     with a diagonal matrix */
    WEIGHTED      /* C_i = A_i B_i; A has the weights of a softmax */
} Passage;

/* The kind of products that an operator computes. Their cost follows from the
   shapes (cost.c). */
typedef enum Work {
    UNKNOWN,     /* the operator is a plugin's own */
    NO_PRODUCTS, /* at most a few operations for each entry */
    MATRICES,    /* the matrices A and B are multiplied */
    MIXTURES,    /* the heads of each token are multiplied by a small matrix */
    SCORING,     /* every query is multiplied by every key */
    WEIGHTING,   /* every value is multiplied by its weights */
    ATTENDING    /* both SCORING and WEIGHTING */
} Work;

typedef struct Meaning {
    const Operator *op; /* NULL for a leaf and for an unknown operator */
    Passage passage;
    Work work;
    bool rotates; /* whether the operator rotates tokens by their position even
                     in a model whose setting `positions` is none */
} Meaning;

/* The row of the table for the operator of a node. If the table has none, the
   operator is OPAQUE, and its work UNKNOWN. */
const Meaning *meaning_of(const Node *n);

#endif
