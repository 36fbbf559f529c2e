/* operator_table.h - what each operator computes, for code that reads a tape:
   derive.c, which writes a node as a product of matrices, and cost.c.

   An operator is known by its address, never by its name: a plugin's own may be
   called "add". The table in operator_table.c has a row for each operator of
   the core. Nothing is known of an operator that is not in it. */
#ifndef OPERATOR_TABLE_H
#define OPERATOR_TABLE_H

#include <stdbool.h>

#include <qkv/operator.h>

/* How node C follows from its operands A and B, as far as derive.c can write it
   as a product of matrices. C_i is head i of C. */
typedef enum Passage {
    OPAQUE,       /* the operator is not a product of A with a matrix, or is
                     unknown */
    LEAF,         /* it has no operands: tokens, or weights */
    TIMES,        /* C = A B */
    TIMES_TURNED, /* C = A B' */
    FACTOR,       /* C = a number times A; the node's argument is a double */
    SUM,          /* C = A + B */
    COLUMNS, /* C_i = some columns of A_i; the argument is the first, an int */
    SIDE_BY_SIDE, /* C_i = [A_i B_i ...] */
    REPEATED,     /* C = A, in every row or head */
    GAIN,         /* C = A . B: B is a diagonal matrix if it is one row */
    WEIGHTED      /* C_i = A_i B_i, for weights of the softmax A */
} Passage;

/* Which products an operator computes: what they cost follows from the shapes
   (cost.c). */
typedef enum Work {
    UNKNOWN,     /* it is an operator of a plugin */
    NO_PRODUCTS, /* at most a few operations for each entry */
    MATRICES,    /* A and B are multiplied as they are */
    MIXTURES,    /* for each token, a matrix is multiplied by its heads */
    SCORING,     /* every query is multiplied by every key */
    WEIGHTING,   /* every weight is multiplied by its value */
    ATTENDING    /* SCORING and WEIGHTING */
} Work;

typedef struct Meaning {
    const Operator *op; /* NULL for a leaf and for an unknown operator */
    Passage passage;
    Work work;
    bool rotates; /* a variant that calls it rotates by the position itself,
                     whatever positions its model has */
} Meaning;

/* What the operator of a node means. */
const Meaning *meaning_of(const Node *n);

#endif
