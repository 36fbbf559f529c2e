/* value.c - the walk over the tree of an equation. */
#include <string.h>

#include "equation/matrices.h"
#include "equation/operation.h"
#include "equation/value.h"

/* Products */

/* The factors of a product: `of` has all that are not numbers; `scale` is the
   product of the numbers, or NULL. */
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

/* Multiplies factors from left to right. Attention weights multiply the product
   of all factors on their right, except a matrix that leads back from the
   heads.
 */
static Value
product_of(Builder *b, Factors f, bool output)
{
    bool back = output && f.count > 1 && leads_back(f.of[f.count - 1]);
    Value left = value_of(b, f.of[0], output && f.count == 1);
    int i = 1;
    while (i < f.count) {
        bool last = back && i == f.count - 1;
        if (left.sort != SCORES) {
            Value right = value_of(b, f.of[i], false);
            left = multiplied(b, left, right, last, &f.scale);
            i++;
            continue;
        }
        Factors rest = {f.of + i, f.count - i - (back ? 1 : 0), NULL};
        if (rest.count == 0)
            equation_wrong(b->text, f.of[i]->at,
                           "expected values between attention weights and the "
                           "output map: softmax(...) y W_i^V W_i^O");
        left = applied(b, left, product_of(b, rest, false));
        i += rest.count;
    }
    return scaled(b, left, f.scale);
}

/* Divides the factors of a product into numbers and others, and multiplies
   them. */
static Value
value_of_product(Builder *b, const Tree *t, bool output)
{
    const Tree **others = allocate((size_t)t->count, sizeof *others);
    Factors f = {.of = others};
    for (int i = 0; i < t->count; i++) {
        const Tree *factor = t->of[i];
        bool divides = factor->kind == TREE_INVERSE;
        if (is_number(b, factor)) {
            Tree *number = number_of(b, factor);
            if (f.scale)
                tree_add(f.scale, number);
            else
                f.scale = tree_of(TREE_PRODUCT, t->at, number, NULL);
        } else if (divides)
            equation_wrong(b->text, factor->at,
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

/* The first argument of function f, which has to be what that takes. */
static Value
argument_of(Builder *b, const Tree *t, int f)
{
    Value a = value_of(b, t->of[0], false);
    Takes takes = functions[f].takes;
    bool fits = (takes == OF_SCORES && a.sort == SCORES) ||
                (takes == OF_TOKENS && a.sort == TOKENS) ||
                (takes == OF_ANY && a.sort != NUMBERS && a.sort != SLICE);
    if (!fits || a.transposed)
        equation_wrong(b->text, a.at, "%s takes %s", t->name,
                       takes == OF_SCORES ? "scores: q k' / sqrt(d_k)"
                                          : "tokens that are not transposed: "
                                            "x W^Q");
    return a;
}

/* The value of a call of one of the functions. Softmax and mix_heads may have a
   second matrix; the others have numbers as further arguments. */
static Value
value_of_call(Builder *b, const Tree *t)
{
    int f = function_named(t->name);
    if (f < 0)
        equation_wrong(
            b->text, t->at,
            "%s is not a function: choose softmax, mask, tanh, sigmoid, gelu, "
            "exp, rms, rotate, shift, cached, split or mix_heads; if it is a "
            "matrix, write a space before the bracket",
            t->name);
    if (t->count < functions[f].least || t->count > functions[f].most)
        equation_wrong(b->text, t->at, "%s takes %d to %d arguments", t->name,
                       functions[f].least, functions[f].most);
    Act act = functions[f].act;
    Value a = argument_of(b, t, f), second;
    bool two = t->count > 1;
    if (two && (act == STEP_SOFTMAX || act == STEP_MIX))
        second = value_of(b, t->of[1], false);
    if (act == STEP_SOFTMAX)
        return softmax_value(b, a, two ? &second : NULL);
    if (act == STEP_MIX)
        return mixed(b, a, second);
    if (act == STEP_SPLIT)
        return split_value(b, a, number_of(b, t->of[1]));
    Tree *number = NULL;
    if (functions[f].most > 1)
        number = two ? number_of(b, t->of[1]) : tree_number(functions[f].usual);
    a.step = add_number_step(b, act, t->at, a.step, number);
    a.masked = act == STEP_MASK || (a.masked && functions[f].keeps_zero);
    return a;
}

static Value
value_of_joined(Builder *b, const Tree *t)
{
    Value v[MOST_OPERANDS];
    if (t->count > MOST_OPERANDS)
        equation_wrong(b->text, t->at, "at most %d parts can be side by side",
                       MOST_OPERANDS);
    for (int i = 0; i < t->count; i++)
        v[i] = value_of(b, t->of[i], false);
    return joined_values(b, v, t->count, t->at);
}

/* Names and numbers */

/* The value of a name that an earlier line defined, or NULL. */
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

/* Is a part of the equation a number, made only of numbers, sizes and settings?
 */
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

enum { MOST_PARTS = 100 };

Tree *
number_of(Builder *b, const Tree *t)
{
    if (!is_number(b, t))
        equation_wrong(b->text, t->at,
                       "expected a number: 2, d_k, h d_k, sqrt(d_k)");
    const Value *v = t->kind == TREE_NAME ? defined_value(b, t->name) : NULL;
    if (v)
        return v->number;
    Tree *copy = allocate(1, sizeof *copy);
    *copy = *t;
    copy->of = NULL;
    copy->count = copy->capacity = 0;
    copy->parts = 1;
    for (int i = 0; i < t->count; i++) {
        Tree *part = number_of(b, t->of[i]);
        tree_add(copy, part);
        copy->parts += part->parts;
        if (copy->parts > MOST_PARTS)
            equation_wrong(b->text, t->at,
                           "this number is too long: with definitions put in, "
                           "it has more than %d parts",
                           MOST_PARTS);
    }
    return copy;
}

/* Does a name have only small letters? Then it names no matrix. */
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
        equation_wrong(b->text, t->at,
                       "%s is not defined above: write a line \"%s = ...\"; if "
                       "it is a matrix, declare it, \"%s: 1 x d_k\"",
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
        equation_wrong(b->text, t->at, "%s cannot be transposed",
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
