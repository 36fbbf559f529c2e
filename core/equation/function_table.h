/* function_table.h - the functions of equations, such as softmax: what each
   takes, and which step applies it. value.c applies them. */
#ifndef EQUATION_FUNCTION_TABLE_H
#define EQUATION_FUNCTION_TABLE_H

#include "equation/builder.h"

/* Sets of sorts: a bit for each sort in the set. */
enum {
    SCORES_ONLY = 1 << SCORES,
    TOKENS_ONLY = 1 << TOKENS,
    ANY_MATRIX = 1 << SCORES | 1 << TOKENS | 1 << MATRIX
};

typedef struct Function {
    const char *name;
    StepKind kind;         /* of the step that applies it */
    int sorts;             /* the sorts that its first argument may have */
    int least, most;       /* how many arguments it takes */
    double default_number; /* of the second argument; 0: it has no default */
    bool masks;            /* whether it makes masked entries 0 */
    bool keeps_zero;       /* f(0) = 0, so masked entries that are 0 stay 0 */
} Function;

/* Is this the name of a function of equations? */
bool is_function(const char *name);

/* The function that t calls. Exits if there is no such function, or if t gives
   it too few or too many arguments. */
const Function *called_function(const Builder *b, const Tree *t);

#endif
