/* value.c - the walk over the tree of an equation. */
#include <string.h>

#include "equation/matrices.h"
#include "equation/operation.h"
#include "equation/value.h"

/* Products */

/* The factors of a product: `of` has those that are not numbers, and `scale` is
   the product of the numbers, or NULL. */
typedef struct Factors {
    const Tree *const *of;
    int count;
    Tree *scale;
} Factors;

static bool is_number(Builder *b, const Tree *t);

/* Can this factor, as the last one of the output, map the heads back to the
   width of a token, as W_i^O does? Only a matrix with the index i, or its
   transpose, can. */
static bool
leads_back(const Tree *t)
{
    if (t->kind == TREE_TRANSPOSED)
        t = t->of[0];
    return t->kind == TREE_NAME && index_of(t->name) == 'i';
}

static Value product_of(Builder *b, Factors f, bool output);

/* Applies the attention weights `left` to the values, which are the product of
   the factors from .. end - 1. */
static Value
weighted_product(Builder *b, Value left, Factors f, int from, int end)
{
    Factors values = {.of = f.of + from, .count = end - from};
    if (values.count == 0)
        refuse(b, f.of[from]->at,
               "expected values between attention weights and the output map: "
               "softmax(...) y W_i^V W_i^O");
    return applied(b, left, product_of(b, values, false));
}

/* Multiplies factors from left to right. Attention weights multiply the product
   of all factors on their right, except a matrix that leads back from the
   heads. The scale belongs to the scores, if the factors make any, and else to
   the product. */
static Value
product_of(Builder *b, Factors f, bool output)
{
    bool back = output && f.count > 1 && leads_back(f.of[f.count - 1]);
    int end = back ? f.count - 1 : f.count; /* where the values end */
    Value left = value_of(b, f.of[0], output && f.count == 1);
    int i = 1;
    while (i < f.count) {
        if (left.sort == SCORES) {
            left = weighted_product(b, left, f, i, end);
            i = end;
            continue;
        }
        Value right = value_of(b, f.of[i], false);
        if (makes_scores(left, right)) {
            left = scored(b, left, right, f.scale);
            f.scale = NULL;
        } else
            left = multiplied(b, left, right, back && i == end);
        i++;
    }
    return scaled(b, left, f.scale);
}

/* Separates the factors of a product into numbers and others, and multiplies
   them. */
static Value
value_of_product(Builder *b, const Tree *t, bool output)
{
    const Tree **others = allocate((size_t)t->count, sizeof *others);
    Factors f = {.of = others};
    for (int i = 0; i < t->count; i++) {
        const Tree *factor = t->of[i];
        if (is_number(b, factor)) {
            Tree *number = number_of(b, factor);
            if (f.scale)
                tree_add(f.scale, number);
            else
                f.scale = tree_of(TREE_PRODUCT, t->at, number, NULL);
        } else if (factor->kind == TREE_INVERSE)
            refuse(b, factor->at,
                   "only a number can divide: d_k, sqrt(d_k), 2");
        else
            others[f.count++] = factor;
    }
    return product_of(b, f, output);
}

static Value
value_of_sum(Builder *b, const Tree *t, bool output)
{
    Act act = t->kind == TREE_SUM ? STEP_ADD : STEP_ENTRIES;
    Value sum = value_of(b, t->of[0], output);
    for (int i = 1; i < t->count; i++)
        sum = combined(b, act, sum, value_of(b, t->of[i], output));
    return sum;
}

/* Functions */

typedef enum { OF_ANY, OF_SCORES, OF_TOKENS } Takes;

static const struct {
    const char *name;
    Act act;
    Takes takes;
    int least, most; /* arguments */
    double usual;    /* the second argument if it is left out, a number */
    bool keeps_zero; /* f(0) = 0, so that masked scores stay masked */
} functions[] = {
    {"softmax", STEP_SOFTMAX, OF_SCORES, 1, 2, 0, true},
    {"mask", STEP_MASK, OF_SCORES, 1, 1, 0, true},
    {"tanh", STEP_TANH, OF_ANY, 1, 1, 0, true},
    {"sigmoid", STEP_SIGMOID, OF_ANY, 1, 1, 0, false},
    {"gelu", STEP_GELU, OF_ANY, 1, 1, 0, true},
    {"exp", STEP_EXP, OF_ANY, 1, 1, 0, false},
    {"rms", STEP_RMS, OF_TOKENS, 1, 2, 1e-6, false},
    {"rotate", STEP_ROTATE, OF_TOKENS, 1, 2, 10000, false},
    {"shift", STEP_SHIFT, OF_TOKENS, 2, 2, 0, false},
    {"cached", STEP_CACHED, OF_TOKENS, 1, 1, 0, false},
    {"split", STEP_SPLIT, OF_TOKENS, 2, 2, 0, false},
    {"mix_heads", STEP_MIX, OF_ANY, 2, 2, 0, true},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static int
function_named(const char *name)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (!strcmp(functions[i].name, name))
            return i;
    return -1;
}

bool
is_function(const char *name)
{
    return function_named(name) >= 0;
}

/* The first argument of function f. Exits if f does not take a value of its
   sort. */
static Value
argument_of(Builder *b, const Tree *t, int f)
{
    Value a = value_of(b, t->of[0], false);
    Takes takes = functions[f].takes;
    bool fits = (takes == OF_SCORES && a.sort == SCORES) ||
                (takes == OF_TOKENS && a.sort == TOKENS) ||
                (takes == OF_ANY && a.sort != NUMBERS && a.sort != SLICE);
    if (!fits || a.transposed)
        refuse(b, a.at, "%s takes %s", t->name,
               takes == OF_SCORES ? "scores: q k' / sqrt(d_k)"
                                  : "tokens that are not transposed: x W^Q");
    return a;
}

/* The index in functions[] of the function that t calls. Exits if there is no
   such function, or if t gives it too few or too many arguments. */
static int
function_of_call(const Builder *b, const Tree *t)
{
    int f = function_named(t->name);
    if (f < 0)
        refuse(b, t->at,
               "%s is not a function: choose softmax, mask, tanh, sigmoid, "
               "gelu, exp, rms, rotate, shift, cached, split or mix_heads; if "
               "it is a matrix, write a space before the bracket",
               t->name);
    int least = functions[f].least, most = functions[f].most;
    if (t->count >= least && t->count <= most)
        return f;
    if (least < most)
        refuse(b, t->at, "%s takes %d or %d arguments, not %d", t->name, least,
               most, t->count);
    refuse(b, t->at, "%s takes %d argument%s, not %d", t->name, most,
           most == 1 ? "" : "s", t->count);
}

/* The number that is the second argument of function f, or its usual value;
   NULL if f takes only one argument. */
static Tree *
second_number(Builder *b, const Tree *t, int f)
{
    if (t->count > 1)
        return number_of(b, t->of[1]);
    return functions[f].most > 1 ? tree_number(functions[f].usual) : NULL;
}

/* The value of a call of one of the functions. Softmax and mix_heads may have a
   second matrix; the others have a number as second argument. */
static Value
value_of_call(Builder *b, const Tree *t)
{
    int f = function_of_call(b, t);
    Act act = functions[f].act;
    Value a = argument_of(b, t, f);
    if (act == STEP_SOFTMAX && t->count > 1)
        return softmax_sink_value(b, a, value_of(b, t->of[1], false));
    if (act == STEP_SOFTMAX)
        return softmax_value(b, a);
    if (act == STEP_MIX)
        return mixed(b, a, value_of(b, t->of[1], false));
    if (act == STEP_SPLIT)
        return split_value(b, a, number_of(b, t->of[1]));
    a.step = add_number_step(b, act, t->at, a.step, second_number(b, t, f));
    a.masked = act == STEP_MASK || (a.masked && functions[f].keeps_zero);
    return a;
}

static Value
value_of_joined(Builder *b, const Tree *t)
{
    Value v[MOST_OPERANDS];
    if (t->count > MOST_OPERANDS)
        refuse(b, t->at, "at most %d parts can be side by side", MOST_OPERANDS);
    for (int i = 0; i < t->count; i++)
        v[i] = value_of(b, t->of[i], false);
    return joined_values(b, v, t->count, t->at);
}

/* Names and numbers */

/* The value of a name that an earlier line defined, which is now used; NULL if
   none did. */
static const Value *
defined_value(Builder *b, const char *name)
{
    for (int i = 0; i < b->count; i++)
        if (b->text->definition[i].name == name) {
            b->used[i] = true;
            return &b->defined[i];
        }
    return NULL;
}

/* Is a part of the equation a number, made of numbers, sizes and settings? */
static bool
is_number(Builder *b, const Tree *t)
{
    const Value *v = t->kind == TREE_NAME ? defined_value(b, t->name) : NULL;
    if (v)
        return v->sort == NUMBERS;
    if (!is_scalar_kind(b->text, t))
        return false;
    for (int i = 0; i < t->count; i++)
        if (!is_number(b, t->of[i]))
            return false;
    return true;
}

Tree *
number_of(Builder *b, const Tree *t)
{
    if (!is_number(b, t))
        refuse(b, t->at, "expected a number: 2, d_k, h d_k, sqrt(d_k)");
    const Value *v = t->kind == TREE_NAME ? defined_value(b, t->name) : NULL;
    if (v)
        return v->number;
    Tree *copy = allocate(1, sizeof *copy);
    *copy = *t;
    copy->of = NULL;
    copy->count = copy->capacity = 0;
    for (int i = 0; i < t->count; i++)
        tree_add(copy, number_of(b, t->of[i]));
    return copy;
}

/* Does a name have only small letters? Then it can only name a matrix that is
   declared. */
static bool
is_word(const char *name)
{
    return !name[strspn(name, "abcdefghijklmnopqrstuvwxyz")];
}

/* The value of a name that no line defines: a matrix of the variant. */
static Value
value_of_matrix(Builder *b, const Tree *t)
{
    if (is_word(t->name) && !declaration_of(b->text, t->name))
        refuse(b, t->at,
               "%s is not defined above: write a line \"%s = ...\"; if it is a "
               "matrix, declare it, \"%s: 1 x d_k\"",
               t->name, t->name, t->name);
    int k = weight_of(b, t->name, t->at);
    const PlanWeight *w = &b->plan->weight[k];
    return (Value){.sort = MATRIX,
                   .step = add_weight_step(b, k, t->at),
                   .heads = w->heads,
                   .rows = w->rows,
                   .width = w->cols};
}

static Value
value_of_name(Builder *b, const Tree *t)
{
    const Value *v = defined_value(b, t->name);
    bool x = !strcmp(t->name, "x"), y = !strcmp(t->name, "y");
    if (v)
        return *v;
    if (x || y)
        return (Value){
            .sort = TOKENS,
            .step = add_step(b, x ? STEP_X : STEP_Y, t->at, NO_STEP, NO_STEP),
            .width = width_new(tree_name("d_model"))};
    if (!strcmp(t->name, "I_i") || !strcmp(t->name, "I_g"))
        return (Value){.sort = SLICE,
                       .heads = heads_of_index(index_of(t->name))};
    return value_of_matrix(b, t);
}

static Value
transposed_value(Builder *b, const Tree *t)
{
    Value v = value_of(b, t->of[0], false);
    if (v.sort == SCORES || v.sort == NUMBERS)
        refuse(b, t->at, "%s cannot be transposed: leave the ' out",
               v.sort == SCORES ? "scores" : "a number");
    v.transposed = !v.transposed;
    return v;
}

/* The value of any part of the equation, by its kind. `output`: is it the
   equation's result? */
static Value
value_of_part(Builder *b, const Tree *t, bool output)
{
    Value v;
    if (is_number(b, t))
        return (Value){.sort = NUMBERS, .number = number_of(b, t)};
    switch (t->kind) {
    case TREE_NAME:
        return value_of_name(b, t);
    case TREE_CALL:
        return value_of_call(b, t);
    case TREE_SUM:
    case TREE_ENTRIES:
        return value_of_sum(b, t, output);
    case TREE_NEGATIVE:
        v = value_of(b, t->of[0], output);
        return scaled(b, v, tree_number(-1));
    case TREE_TRANSPOSED:
        return transposed_value(b, t);
    case TREE_COLUMNS:
        v = value_of(b, t->of[0], false);
        return columns_value(b, v, number_of(b, t->of[1]),
                             number_of(b, t->of[2]));
    case TREE_JOINED:
        return value_of_joined(b, t);
    default:
        return value_of_product(b, t, output);
    }
}

Value
value_of(Builder *b, const Tree *t, bool output)
{
    Value v = value_of_part(b, t, output);
    v.at = t->at;
    return v;
}
