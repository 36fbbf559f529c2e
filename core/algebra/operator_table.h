/* operator_table.h - what the operators mean to those who read a tape.

   An operator is known by its address, never by its name: a plugin's own may be
   called "add". The table in operator_table.c has a row for each operator of
   the core. Nothing is known of an operator that is not in it. */
#ifndef OPERATOR_TABLE_H
#define OPERATOR_TABLE_H

#include <stdbool.h>

#include <qkv/operator.h>

/* How a product of matrices that grows from its end, as derive.c builds it,
   passes a node: C is the node, A and B are its operands. */
typedef enum Passage {
    OPAQUE,       /* not as a product: C is no matrix times A, or unknown */
    LEAF,         /* it ends there: tokens, or weights */
    TIMES,        /* C = A B */
    TIMES_TURNED, /* C = A B' */
    FACTOR,       /* C = a number times A; the argument is a double */
    SUM,          /* C = A + B */
    COLUMNS, /* C_i = some columns of A_i; the argument is the first, int */
    SIDE_BY_SIDE, /* C_i = [A_i B_i ...] */
    REPEATED,     /* C = A, in every row or head */
    GAIN,         /* C = A . B: B is a diagonal matrix if it is one row */
    WEIGHTED      /* C_i = A_i B_i, for weights of the softmax A */
} Passage;

/* Which products an operator computes: what they cost follows from the shapes
   (cost.c). */
typedef enum Work {
    UNKNOWN,     /* of a plugin's operator */
    NO_PRODUCTS, /* at most a few operations for each entry */
    MATRICES,    /* A and B are multiplied as they are */
    MIXTURES,    /* a matrix for each token, of its heads */
    SCORING,     /* every query with every key */
    WEIGHTING,   /* every weight with every value */
    ATTENDING    /* both */
} Work;

typedef struct Meaning {
    const Operator *op;
    Passage passage;
    Work work;
    bool rotates; /* by the position itself, because the variant calls it */
} Meaning;

const Meaning *meaning_of(const Node *n);

#endif
