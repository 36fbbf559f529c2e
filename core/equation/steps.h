/* steps.h - a plan: an equation as a list of steps, each an operator and its
   operands, in the order in which a plugin would call the operators of
   <qkv/tape.h> and <qkv/attend.h>. */
#ifndef STEPS_H
#define STEPS_H

#include <qkv/variant.h>

#include "equation/scalar.h"

typedef enum {
    STEP_X,         /* the tokens that queries come from */
    STEP_Y,         /* the tokens from which keys and values come */
    STEP_WEIGHT,    /* a matrix of the variant */
    STEP_MAP,       /* A B */
    STEP_MAP_T,     /* A B' */
    STEP_EACH_HEAD, /* A_i B_i, or A_i B if B has no heads */
    STEP_EACH_HEAD_T,
    STEP_SUM_HEADS, /* sum_i A_i */
    STEP_SCORES,    /* scale A_i B_i' */
    STEP_SOFTMAX,   /* with a sink, if there is a second operand */
    STEP_SINK_ZERO, /* softmax with a sink of 0 */
    STEP_MASK,
    STEP_APPLY,  /* the weighted sum A_i B_i */
    STEP_ATTEND, /* scores, softmax and apply in one */
    STEP_ADD,
    STEP_ENTRIES, /* A . B */
    STEP_SCALE,
    STEP_SPLIT, /* the same matrix, cut into heads */
    STEP_COLUMNS,
    STEP_JOIN,
    STEP_RMS,
    STEP_ROTATE,
    STEP_SHIFT,
    STEP_MIX,
    STEP_CACHED,
    STEP_TANH,
    STEP_SIGMOID,
    STEP_GELU,
    STEP_EXP
} Act;

enum { MOST_OPERANDS = 8 };

typedef struct Step {
    Act act;
    int in[MOST_OPERANDS]; /* numbers of earlier steps */
    int inputs;
    int weight;  /* of STEP_WEIGHT: the number of the matrix */
    Tree *heads; /* of STEP_EACH_HEAD, _EACH_HEAD_T and _SUM_HEADS: the heads of
                    the first operand */
    Width *width; /* of the same: the columns of each */
    Width *block; /* the columns of a head's block of the second operand; NULL
                     if all heads have the same matrix */
    Tree *number[2];  /* scale; from and count of columns; heads; eps; ... */
    const char *name; /* the definition whose value it is, or NULL */
    const char *at;   /* its place in the text */
    char rows; /* it has a row for each token of 'x' or 'y'; 0: neither */
    int depth; /* the largest number of matrices between the tokens and it */
    int twin;  /* an earlier step that has the same value if y is x, as in
                  self-attention; -1 if there is none */
    int uses;  /* the number of steps that need it for the output; 0 if the
                  output does not depend on it */
} Step;

/* A matrix of the variant. A head's block is rows x cols. The blocks of all
   heads are side by side in the stored matrix or, if it leads back from the
   heads, below each other. */
typedef struct PlanWeight {
    const char *written; /* "W_i^Q" */
    const char *stored;  /* "W^Q" */
    Tree *heads;         /* NULL: it is one for all heads */
    Width *rows, *cols;
    bool stacked, beside; /* the blocks of its heads are used below each other,
                             or side by side */
    bool multiplies;      /* a gain, entry by entry: it starts as 1 */
    bool adds;            /* a bias or a sink: it starts as 0 */
    bool mixes;           /* heads, not columns */
    int depth; /* 1 if it maps the tokens, 2 if it maps what such a matrix
                  makes, ...; 0 if it is no map */
    const Declaration *declared;
    const char *at;
} PlanWeight;

typedef struct Plan {
    const EquationText *text;
    Step *step;
    int steps, step_capacity;
    int output; /* the step whose value is the attention's */
    PlanWeight *weight;
    int weights, weight_capacity;
    int *order; /* order[k]: the matrix that is declared as number k */
} Plan;

#endif
