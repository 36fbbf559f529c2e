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
    STEP_EACH_HEAD_T, /* the same with B_i' or B' */
    STEP_SUM_HEADS,   /* sum_i A_i */
    STEP_SCORES,      /* scale A_i B_i' */
    STEP_SOFTMAX,     /* softmax(A) */
    STEP_SINK,        /* softmax(A, B) with the sink B */
    STEP_SINK_ZERO,   /* softmax(A, 0) */
    STEP_MASK,        /* A with 0 for masked scores */
    STEP_APPLY,       /* the weighted sum A_i B_i, for weights A and values B */
    STEP_ATTEND,      /* scores, softmax and weighted sum in one */
    STEP_ADD,         /* A + B */
    STEP_ENTRIES,     /* A . B, entry by entry */
    STEP_SCALE,       /* scale A */
    STEP_SPLIT,   /* A, whose columns are from now on n heads side by side */
    STEP_COLUMNS, /* some columns of each head of A */
    STEP_JOIN,    /* [A, B, ...] */
    STEP_RMS,     /* rms(A, eps) */
    STEP_ROTATE,  /* rotate(A, base) */
    STEP_SHIFT,   /* shift(A, n) */
    STEP_MIX,     /* mix_heads(A, B) */
    STEP_CACHED,  /* cached(A) */
    STEP_TANH,    /* tanh(A), and so on */
    STEP_SIGMOID,
    STEP_GELU,
    STEP_EXP,
    STEP_KINDS /* how many kinds there are */
} StepKind;

enum { MOST_OPERANDS = 8 };

/* The indices in Step.scalar: of the one scalar that most operators take, and
   of the two of STEP_COLUMNS. */
enum { ONLY_SCALAR, FIRST_COLUMN = 0, COLUMN_COUNT, MOST_SCALARS };

typedef struct Step {
    StepKind kind;
    int in[MOST_OPERANDS]; /* the operands, which are earlier steps: their
                              indices in Plan.step; 0 after the last */
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

    const char *name; /* the name of the definition that it computes, or NULL */
    const char *place; /* where its scalars are in the text, for messages; NULL
                          if it has none */
    char row_source; /* 'x' or 'y': the result has a row for each token of x or
                        y; 0: it is computed from matrices only */
    int depth;       /* the largest number of matrices on a path from the
                        tokens to it */
    int twin; /* the first step with the same value in self-attention, in which
                 y is x: x W is the twin of a later y W. The step itself, if no
                 earlier step has its value */
    int uses; /* how often it is an operand of steps that the output depends on;
                 1 for the output itself; 0: it need not be computed */
} Step;

/* A matrix of the variant. If its name has an index, it consists of a block for
   each head, of size rows x cols. The stored matrix has the blocks side by side
   or, if it is an output map such as W_i^O, below each other. */
typedef struct PlanWeight {
    const char *written; /* in the equation: "W_i^Q" */
    const char *stored;  /* in the variant: "W^Q" */
    Tree *heads;         /* the number of blocks; NULL: it has no index */
    Width *rows, *cols;  /* of a block */
    bool stacked;        /* it is used with its blocks below each other */
    bool beside;         /* it is used with its blocks side by side */
    bool multiplies;     /* it is a gain, which is initialised to 1 */
    bool adds;           /* it is a bias or a sink, which is initialised to 0 */
    bool mixes;          /* it is the second argument of mix_heads */
    int depth; /* 1 if it maps the tokens, 2 if it maps their product with such
                  a matrix, ...; 0 if it maps nothing */
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
