/* value.c - finds the value of each part of an equation.

   value_of walks over the tree. For each part it first finds the values of the
   operands, and then calls the function of operation.h that applies the
   operator. A value is a scalar, tokens, scores, a matrix or a slice (Sort in
   builder.h).

   An output map is the matrix W_i^O at the end of an output. It maps each head
   back to the width of a token, and sums the results. */
#include <string.h>

#include "equation/function_table.h"
#include "equation/matrices.h"
#include "equation/operation.h"
#include "equation/value.h"

/* Products */

/* A product, with its scalars separated from its other factors. */
typedef struct Factors {
    const Tree *const *factor; /* the other factors, from left to right */
    int count;                 /* the number of other factors, at least 1 */
    Tree *scale; /* the product of the scalars; NULL: there are none, or they
                    were already applied */
} Factors;

static bool is_scalar(Builder *b, const Tree *t);

/* May t, the last factor of an output, be an output map? Only a name with the
   index i may, or its transpose. */
static bool
may_be_output_map(const Tree *t)
{
    if (t->kind == TREE_TRANSPOSED)
        t = t->operand[0];
    return t->kind == TREE_NAME && index_of(t->name) == 'i';
}

/* The product of two factors of f. If they make scores, the scale of f is
   applied to these, and removed from f. */
static Value
product_of_two(Builder *b, Value left, Value right, Factors *f)
{
    if (!makes_scores(left, right))
        return product_value(b, left, right);
    Tree *scale = f->scale;
    f->scale = NULL;
    return scores_value(b, left, right, scale);
}

/* The product of the factors, from left to right. The first factor has the
   given role. If the scale is still in f afterwards, it has not been applied.
 */
static Value
unscaled_product(Builder *b, Factors *f, Role first_role)
{
    Value left = value_of(b, f->factor[0], first_role);
    for (int i = 1; i < f->count; i++) {
        if (left.sort == SCORES) {
            /* Attention weights multiply the product of all factors on their
               right. The scale is none of these: it stays in f. */
            Factors rest = {.factor = f->factor + i, .count = f->count - i};
            Value values = unscaled_product(b, &rest, INNER_PART);
            return weighted_value(b, left, values);
        }
        Value right = value_of(b, f->factor[i], INNER_PART);
        left = product_of_two(b, left, right, f);
    }
    return left;
}

/* Exits if t, the last factor of an output that still has heads, is a matrix
   without an index, such as W^O: most likely W_i^O was meant. */
static void
check_last_factor(const Builder *b, const Tree *t)
{
    const PlanWeight *w =
        t->kind == TREE_NAME ? used_weight(b->plan, t->name) : NULL;
    if (w && !w->heads)
        refuse(b, t->place,
               "%s has no index, but what it multiplies has heads: give it an "
               "index, as in W_i^O",
               t->name);
}

/* The product of `left` and t, the last factor of an output. `left` is the
   product of all other factors. f may lose its scale, as in product_of_two. */
static Value
product_with_last(Builder *b, Value left, const Tree *t, Factors *f)
{
    if (left.sort == SCORES)
        refuse(b, t->place,
               "expected values between attention weights and the output map, "
               "as in softmax(...) y W_i^V W_i^O");
    Value last = value_of(b, t, INNER_PART);
    if (last.sort == MATRIX && left.heads) /* an output map: sums the heads */
        return output_map_value(b, left, last);
    return product_of_two(b, left, last, f);
}

/* The product of all factors and the scale. At the end of an output, a factor
   that may be an output map is kept apart: it multiplies the product of all
   others, so that it comes after the weighted sum. */
static Value
value_of_factors(Builder *b, Factors f, Role role)
{
    const Tree *last = f.factor[f.count - 1];
    bool only_factor = f.count == 1;
    bool ends_output = role == OUTPUT_TERM && !only_factor;
    bool keep_apart = ends_output && may_be_output_map(last);
    if (keep_apart)
        f.count--;
    /* A single factor has the role of the product. */
    Value v = unscaled_product(b, &f, only_factor ? role : INNER_PART);
    if (keep_apart)
        v = product_with_last(b, v, last, &f);
    if (role == OUTPUT_TERM && v.heads)
        check_last_factor(b, last);
    return scaled_value(b, v, f.scale);
}

/* The value of a product with at least one factor that is not a scalar.
   Separates the scalars from the other factors. */
static Value
value_of_product(Builder *b, const Tree *t, Role role)
{
    const Tree **others = allocate((size_t)t->count, sizeof *others);
    Factors f = {.factor = others};
    for (int i = 0; i < t->count; i++) {
        const Tree *factor = t->operand[i];
        if (is_scalar(b, factor)) {
            Tree *scalar = scalar_of(b, factor);
            if (f.scale)
                tree_add(f.scale, scalar);
            else /* the first scalar */
                f.scale = tree_unary(TREE_PRODUCT, t->place, scalar);
        } else if (factor->kind == TREE_INVERSE)
            refuse(b, factor->place,
                   "only numbers can be divisors, and this is not one: divide "
                   "by a number, such as 2, d_k or sqrt(d_k)");
        else
            others[f.count++] = factor;
    }
    if (f.scale && f.scale->count == 1) /* a single scalar is no product */
        f.scale = f.scale->operand[0];
    return value_of_factors(b, f, role);
}

/* The value of a sum, or of a product entry by entry. */
static Value
value_of_terms(Builder *b, const Tree *t, Role role)
{
    StepKind kind = t->kind == TREE_SUM ? STEP_ADD : STEP_ENTRIES;
    Value result = value_of(b, t->operand[0], role);
    for (int i = 1; i < t->count; i++) {
        Value term = value_of(b, t->operand[i], role);
        result = combined_value(b, kind, result, term);
    }
    return result;
}

/* Functions */

/* The value of the first argument of t, which is a call of f. Exits if f does
   not take values of this sort. */
static Value
first_argument(Builder *b, const Tree *t, const Function *f)
{
    Value a = value_of(b, t->operand[0], INNER_PART);
    bool right_sort = f->sorts & 1 << a.sort; /* the bit of its sort */
    if (a.transposed || !right_sort)
        refuse(b, a.place, "%s takes %s", f->name,
               f->sorts == SCORES_ONLY
                   ? "scores, such as q k' / sqrt(d_k)"
                   : "tokens that are not transposed, such as x W^Q");
    return a;
}

/* The second argument of t, a call of f whose second argument is a number. If t
   leaves it out, returns its default, or NULL if it has none. */
static Tree *
second_argument(Builder *b, const Tree *t, const Function *f)
{
    if (t->count > 1)
        return scalar_of(b, t->operand[1]);
    return f->default_number > 0 ? tree_number(f->default_number) : NULL;
}

/* The value of a call. The second argument of softmax is a sink, and that of
   mix_heads a matrix or tokens. That of any other function is a number. */
static Value
value_of_call(Builder *b, const Tree *t)
{
    const Function *f = called_function(b, t);
    Value a = first_argument(b, t, f);
    if (f->kind == STEP_SOFTMAX && t->count > 1)
        return softmax_sink_value(b, a, value_of(b, t->operand[1], INNER_PART));
    if (f->kind == STEP_MIX)
        return mixed_value(b, a, value_of(b, t->operand[1], INNER_PART));
    Tree *number = second_argument(b, t, f);
    if (f->kind == STEP_SPLIT)
        return split_value(b, a, number);
    a.step = add_with_scalar(b, f->kind, t->place, a.step, number);
    a.masked = f->masks || (a.masked && f->keeps_zero);
    return a;
}

/* The value of [a, b, ...]. */
static Value
value_of_joined(Builder *b, const Tree *t)
{
    Value v[MOST_OPERANDS];
    if (t->count > MOST_OPERANDS)
        refuse(b, t->place,
               "at most %d parts can be side by side: join some of them first, "
               "as in [[a, b], c]",
               MOST_OPERANDS);
    for (int i = 0; i < t->count; i++)
        v[i] = value_of(b, t->operand[i], INNER_PART);
    return joined_value(b, v, t->count, t->place);
}

/* Names and scalars */

/* The value of a name that an earlier line defined; NULL if none did. Records
   that the definition is used. */
static const Value *
use_definition(Builder *b, const char *name)
{
    for (int i = 0; i < b->defined_count; i++)
        if (b->text->definition[i].name == name) {
            b->used[i] = true;
            return &b->defined[i];
        }
    return NULL;
}

/* Is t made only of numbers, sizes, settings and definitions of scalars?
   Records that the definitions in it are used. */
static bool
is_scalar(Builder *b, const Tree *t)
{
    const Value *v = t->kind == TREE_NAME ? use_definition(b, t->name) : NULL;
    if (v)
        return v->sort == SCALAR;
    if (!is_scalar_kind(b->text, t))
        return false;
    for (int i = 0; i < t->count; i++)
        if (!is_scalar(b, t->operand[i]))
            return false;
    return true;
}

Tree *
scalar_of(Builder *b, const Tree *t)
{
    if (!is_scalar(b, t))
        refuse(b, t->place,
               "expected a number, such as 2, d_k, h d_k or sqrt(d_k)");
    const Value *v = t->kind == TREE_NAME ? use_definition(b, t->name) : NULL;
    if (v)
        return v->scalar;
    Tree *copy = allocate(1, sizeof *copy);
    *copy = *t;
    copy->operand = NULL;
    copy->count = copy->capacity = 0;
    for (int i = 0; i < t->count; i++)
        tree_add(copy, scalar_of(b, t->operand[i]));
    return copy;
}

/* The value of a name that no line defines: a matrix of the variant. A name of
   only small letters must be declared, because it more likely belongs to a
   definition that was forgotten. */
static Value
value_of_matrix(Builder *b, const Tree *t)
{
    const char small[] = "abcdefghijklmnopqrstuvwxyz";
    bool only_small = !t->name[strspn(t->name, small)];
    if (only_small && !declaration_of(b->text, t->name))
        refuse(b, t->place,
               "%s is not defined above: write a line \"%s = ...\" or, if it "
               "is a matrix, declare it, as in \"%s: 1 x d_k\"",
               t->name, t->name, t->name);
    int k = find_or_add_weight(b, t->name);
    const PlanWeight *w = &b->plan->weight[k];
    Step s = {.kind = STEP_WEIGHT, .weight = k};
    return (Value){.sort = MATRIX,
                   .step = add_step(b, s),
                   .heads = w->heads,
                   .rows = w->rows,
                   .width = w->cols};
}

/* The value of a name: of a definition, of the tokens x or y, of a slice, or of
   a matrix. */
static Value
value_of_name(Builder *b, const Tree *t)
{
    const Value *v = use_definition(b, t->name);
    bool is_x = !strcmp(t->name, "x"), is_y = !strcmp(t->name, "y");
    if (v)
        return *v;
    if (is_x || is_y) {
        char row_source = *t->name; /* 'x' or 'y' */
        Step s = {.kind = is_x ? STEP_X : STEP_Y, .row_source = row_source};
        return (Value){.sort = TOKENS,
                       .step = add_step(b, s),
                       .width = width_new(tree_name("d_model"))};
    }
    if (!strcmp(t->name, "I_i") || !strcmp(t->name, "I_g"))
        return (Value){.sort = SLICE,
                       .heads = heads_of_index(index_of(t->name))};
    return value_of_matrix(b, t);
}

/* The value of a TREE_TRANSPOSED. */
static Value
transposed_value(Builder *b, const Tree *t)
{
    Value v = value_of(b, t->operand[0], INNER_PART);
    if (v.sort == SCORES || v.sort == SCALAR)
        refuse(b, t->place, "%s cannot be transposed: remove the '",
               v.sort == SCORES ? "scores" : "a number");
    v.transposed = !v.transposed;
    return v;
}

/* value_of, except that it does not set Value.place. */
static Value
value_without_place(Builder *b, const Tree *t, Role role)
{
    Value v;
    if (is_scalar(b, t))
        return (Value){.sort = SCALAR, .scalar = scalar_of(b, t)};
    switch (t->kind) {
    case TREE_NAME:
        return value_of_name(b, t);
    case TREE_CALL:
        return value_of_call(b, t);
    case TREE_SUM:
    case TREE_ENTRIES:
        return value_of_terms(b, t, role);
    case TREE_NEGATIVE:
        v = value_of(b, t->operand[0], role);
        return scaled_value(b, v, tree_number(-1));
    case TREE_TRANSPOSED:
        return transposed_value(b, t);
    case TREE_COLUMNS:
        v = value_of(b, t->operand[RANGE_OF], INNER_PART);
        return columns_value(b, v, scalar_of(b, t->operand[RANGE_FROM]),
                             scalar_of(b, t->operand[RANGE_END]));
    case TREE_JOINED:
        return value_of_joined(b, t);
    default: /* TREE_PRODUCT */
        return value_of_product(b, t, role);
    }
}

Value
value_of(Builder *b, const Tree *t, Role role)
{
    Value v = value_without_place(b, t, role);
    v.place = t->place;
    return v;
}
