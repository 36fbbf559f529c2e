/* steps.h - a plan: an equation as a list of steps, each an operator and its
   operands, in the order in which a plugin would call the operators of
   <qkv/tape.h> and <qkv/attend.h>.

   In the comments A and B are a step's operands, and A_i is head i of A. */
#ifndef STEPS_H
#define STEPS_H

#include <qkv/variant.h>

#include "equation/scalar.h"

typedef enum {
    STEP_X,           /* the tokens that queries come from */
    STEP_Y,           /* the tokens that keys and values come from */
    STEP_WEIGHT,      /* a matrix of the variant */
    STEP_MAP,         /* A B */
    STEP_MAP_T,       /* A B' */
    STEP_EACH_HEAD,   /* A_i B_i, or A_i B if B has no heads */
    STEP_EACH_HEAD_T, /* A_i B_i', or A_i B' if B has no heads */
    STEP_SUM_HEADS,   /* sum_i A_i */
    STEP_SCORES,      /* scale A_i B_i' */
    STEP_SOFTMAX,     /* softmax(A) */
    STEP_SINK,        /* softmax(A, B) with the sink B */
    STEP_SINK_ZERO,   /* softmax(A, 0) */
    STEP_MASK,        /* A with 0 for masked scores */
    STEP_APPLY,       /* the weighted sum A_i B_i, for weights A and values B */
    STEP_ATTEND,      /* attend(A, B, C): STEP_SCORES of A and B, their
                         STEP_SOFTMAX, and STEP_APPLY with the values C */
    STEP_ADD,         /* A + B */
    STEP_ENTRIES,     /* A . B, entry by entry */
    STEP_SCALE,       /* scale A */
    STEP_SPLIT,       /* A, with its columns seen as n heads side by side */
    STEP_COLUMNS,     /* some columns of each head of A */
    STEP_JOIN,        /* [A, B, ...] */
    STEP_RMS,         /* rms(A, eps) */
    STEP_ROTATE,      /* rotate(A, base) */
    STEP_SHIFT,       /* shift(A, n) */
    STEP_MIX,         /* mix_heads(A, B) */
    STEP_CACHED,      /* cached(A) */
    STEP_TANH,        /* tanh(A), and so on */
    STEP_SIGMOID,
    STEP_GELU,
    STEP_EXP,
    STEP_KINDS /* how many kinds there are */
} StepKind;

enum { MOST_OPERANDS = 8 };

/* The indices in Step.scalar: ONLY_SCALAR for an operator that takes one
   scalar, the next two for STEP_COLUMNS, which takes two. */
enum { ONLY_SCALAR = 0, FIRST_COLUMN = 0, COLUMN_COUNT = 1, MOST_SCALARS = 2 };

typedef struct Step {
    StepKind kind;
    int in[MOST_OPERANDS]; /* the indices in Plan.step of the operands, which
                              are earlier steps; 0 after the last operand */
    int inputs;            /* how many operands there are */
    int weight;            /* of STEP_WEIGHT: its index in Plan.weight */

    /* The scalars that the operator takes besides its operands:
       STEP_SCORES, STEP_ATTEND and STEP_SCALE: the scale, or NULL for 1;
       STEP_SPLIT: the number of heads;
       STEP_COLUMNS: the first column, and how many there are;
       STEP_RMS: eps; STEP_ROTATE: the base; STEP_SHIFT: how many tokens. */
    Tree *scalar[MOST_SCALARS];

    /* Of STEP_EACH_HEAD, STEP_EACH_HEAD_T and STEP_SUM_HEADS: */
    Tree *heads;  /* the number of heads of A */
    Width *width; /* the columns of each of them */
    Width *block; /* the columns of B_i; NULL if all heads have the same B */

    const char *name;  /* the name of its definition; NULL: it has none */
    const char *place; /* where its scalars are in the text, for messages; NULL
                          if it has none */
    char row_source;   /* 'x' or 'y': the result has a row for each token of x
                          or y; 0: it is computed from matrices only */
    int depth;         /* how many matrices multiplied the tokens, one after the
                          other, until this step; the largest such number if
                          the step has several operands */
    int twin; /* the first step with the same value in self-attention, in which
                 y is x: x W is the twin of a later y W. It is the step itself
                 if no earlier step has its value */
    int uses; /* how many times it is an operand of a step that the output
                 depends on; 1 for the output itself; 0: it is not needed */
} Step;

/* A matrix of the variant. If its name has an index, it consists of a block for
   each head or group of heads, of size rows x cols. The stored matrix has the
   blocks side by side or, if it is an output map such as W_i^O, below each
   other. */
typedef struct PlanWeight {
    const char *written; /* in the equation: "W_i^Q" */
    const char *stored;  /* in the variant: "W^Q" */
    Tree *heads;         /* the number of blocks; NULL: it has no index */
    Width *rows, *cols;  /* of a block */
    bool stacked;    /* whether its blocks must be stored below each other */
    bool beside;     /* whether its blocks must be stored side by side */
    bool multiplies; /* whether it is a gain, which is initialised to 1 */
    bool adds;  /* whether it is a bias or a sink, which is initialised to 0 */
    bool mixes; /* whether it is the second argument of mix_heads */
    int depth;  /* 1 if it multiplies x or y, 2 if it multiplies their product
                   with a matrix, and so on; 0 if it is never the right factor
                   of a product */
    const Declaration *declared; /* NULL: no line declares it */
} PlanWeight;

typedef struct Plan {
    const EquationText *text;
    Step *step;
    int steps, step_capacity;
    int output; /* the index of the step whose value is the output */
    PlanWeight *weight;
    int weights, weight_capacity;
    int *order; /* order[k]: the index in weight[] of the variant's matrix k */
} Plan;

#endif
