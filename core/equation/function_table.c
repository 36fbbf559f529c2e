/* function_table.c - the functions of equations: a row for each.

   A new function needs a row here, its name in the message of called_function,
   a step that applies it (steps.h), a node for that step (run_equation.c) and a
   call in C (print_plugin.c). */
#include <string.h>

#include "equation/function_table.h"

static const Function functions[] = {
    {"softmax", STEP_SOFTMAX, SCORES_ONLY, .least = 1, .most = 2,
     .masks = true},
    {"mask", STEP_MASK, SCORES_ONLY, .least = 1, .most = 1, .masks = true},
    {"tanh", STEP_TANH, ANY_MATRIX, .least = 1, .most = 1, .keeps_zero = true},
    {"sigmoid", STEP_SIGMOID, ANY_MATRIX, .least = 1, .most = 1},
    {"gelu", STEP_GELU, ANY_MATRIX, .least = 1, .most = 1, .keeps_zero = true},
    {"exp", STEP_EXP, ANY_MATRIX, .least = 1, .most = 1},
    {"rms", STEP_RMS, TOKENS_ONLY, .least = 1, .most = 2,
     .default_number = 1e-6},
    {"rotate", STEP_ROTATE, TOKENS_ONLY, .least = 1, .most = 2,
     .default_number = 10000},
    {"shift", STEP_SHIFT, TOKENS_ONLY, .least = 2, .most = 2},
    {"cached", STEP_CACHED, TOKENS_ONLY, .least = 1, .most = 1},
    {"split", STEP_SPLIT, TOKENS_ONLY, .least = 2, .most = 2},
    {"mix_heads", STEP_MIX, ANY_MATRIX, .least = 2, .most = 2,
     .keeps_zero = true},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The function with this name; NULL if there is none. */
static const Function *
function_named(const char *name)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (!strcmp(functions[i].name, name))
            return &functions[i];
    return NULL;
}

bool
is_function(const char *name)
{
    return function_named(name) != NULL;
}

const Function *
called_function(const Builder *b, const Tree *t)
{
    const Function *f = function_named(t->name);
    if (!f)
        refuse(b, t->place,
               "%s is not a function: choose softmax, mask, tanh, sigmoid, "
               "gelu, exp, rms, rotate, shift, cached, split or mix_heads; if "
               "it is a matrix, write a space before the bracket",
               t->name);
    if (t->count >= f->least && t->count <= f->most)
        return f;
    if (f->least < f->most)
        refuse(b, t->place, "%s takes %d or %d arguments, not %d", f->name,
               f->least, f->most, t->count);
    refuse(b, t->place, "%s takes %d argument%s, not %d", f->name, f->most,
           f->most == 1 ? "" : "s", t->count);
}
