/* plan.c - an equation as a list of steps.

   The definitions of the equation become steps one after another (value.c). The
   plan is then completed: widths that are still unknown get their defaults,
   matrices their order and names, and steps that make up plain attention become
   the one step STEP_ATTEND. */
#include <string.h>

#include "base/words.h"
#include "equation/matrices.h"
#include "equation/operation.h"
#include "equation/plan.h"
#include "equation/value.h"

/* Sets Step.uses. A step comes after its operands, so in a walk from the last
   step to the first, the uses of a step are all counted when it is reached. */
static void
count_uses(Plan *p)
{
    for (int i = 0; i < p->steps; i++)
        p->step[i].uses = i == p->output;
    for (int i = p->steps - 1; i >= 0; i--) {
        const Step *s = &p->step[i];
        if (!s->uses)
            continue;
        for (int k = 0; k < s->inputs; k++)
            p->step[s->in[k]].uses++;
    }
}

/* Are these weights softmax(scores) without a sink, and used only once? Neither
   may have a name: a step with a name becomes a variable in the C file of the
   plan, so it has to remain a step. */
static bool
can_fuse(const Step *weights, const Step *scores)
{
    bool plain = weights->kind == STEP_SOFTMAX && weights->inputs == 1 &&
                 scores->kind == STEP_SCORES;
    bool named = weights->name || scores->name;
    return plain && !named && weights->uses == 1;
}

/* Turns the weighted sum of each softmax(q k') v into attend(q, k, v), which is
   one operator, if the weights can be fused with it. Their own steps are then
   unused. */
static void
fuse_attention(Plan *p)
{
    for (Step *s = p->step; s < p->step + p->steps; s++) {
        if (s->kind != STEP_APPLY)
            continue;
        const Step *weights = &p->step[s->in[0]];
        const Step *scores = &p->step[weights->in[0]];
        if (can_fuse(weights, scores))
            *s = (Step){.kind = STEP_ATTEND,
                        .in = {scores->in[0], scores->in[1], s->in[1]},
                        .inputs = 3,
                        .number = {scores->number[0]},
                        .name = s->name};
    }
}

static bool
is_x_or_y(const Step *s)
{
    return s->kind == STEP_X || s->kind == STEP_Y;
}

/* Would two steps have the same value if y were x? The twins of their operands
   are already known. */
static bool
are_twins(const Plan *p, const Step *s, const Step *t)
{
    if (is_x_or_y(s) && is_x_or_y(t))
        return true;
    if (!same_operator(p, s, t))
        return false;
    for (int k = 0; k < s->inputs; k++)
        if (p->step[s->in[k]].twin != p->step[t->in[k]].twin)
            return false;
    return true;
}

/* Step.twin, once the twins of all earlier steps are known. */
static int
twin_of(const Plan *p, int step)
{
    for (int i = 0; i < step; i++)
        if (p->step[i].uses && are_twins(p, &p->step[i], &p->step[step]))
            return i;
    return step;
}

/* Does a name mean something else in every equation, or in this one by its
   settings? */
static bool
is_reserved(const EquationText *e, const char *name)
{
    bool tokens = !strcmp(name, "x") || !strcmp(name, "y");
    return tokens || is_function(name) || size_named(name) ||
           has_setting(e, name);
}

/* Exits if a definition cannot have its name. The message shows its value,
   since that has a place in the text. */
static void
check_name(const Builder *b, const Definition *d)
{
    const char *place = d->value->place;
    if (is_reserved(b->text, d->name))
        refuse(b, place, "%s already has a meaning: choose another name",
               d->name);
    for (int k = 0; k < b->count; k++)
        if (b->text->definition[k].name == d->name)
            refuse(b, place, "%s is defined above: choose another name",
                   d->name);
    if (used_weight(b->plan, d->name))
        refuse(b, place,
               "%s is a matrix above: choose another name, or define it before "
               "its first use",
               d->name);
}

/* Makes `out`, the value of t, the output: it must have a row for each token,
   as wide as a token. If it has heads, they are summed. */
static void
finish_output(Builder *b, Value out, const Tree *t)
{
    if (out.sort != TOKENS || out.transposed)
        refuse(b, t->place,
               "the output must have a row for each token: softmax(...) y "
               "W_i^V W_i^O");
    if (row_source(b, out) == 'y')
        refuse(b, t->place,
               "the output must have a row for each query in x, but this has "
               "one for each key in y");
    require_equal(b->text, out.width, width_new(tree_name("d_model")), t->place,
                  "the output must be as wide as a token");
    b->plan->output = out.step;
    if (out.heads) {
        int sum = add_unary(b, STEP_SUM_HEADS, t->place, out.step, NULL);
        b->plan->step[sum].heads = out.heads;
        b->plan->step[sum].width = out.width;
        b->plan->output = sum;
    }
}

/* Do the shape of a matrix or its initial values depend on the size of this
   name? */
static bool
weight_uses(const PlanWeight *w, const char *size)
{
    bool shape = scalar_mentions(w->heads, size) ||
                 scalar_mentions(width_known(w->rows), size) ||
                 scalar_mentions(width_known(w->cols), size);
    const Declaration *d = w->declared;
    bool initial = d && (scalar_mentions(d->mean, size) ||
                         scalar_mentions(d->deviation, size));
    return shape || initial;
}

/* Does a matrix, or a step that the output depends on, depend on the size of
   this name? */
static bool
plan_uses(const Plan *p, const char *size)
{
    for (int i = 0; i < p->weights; i++)
        if (weight_uses(&p->weight[i], size))
            return true;
    for (const Step *s = p->step; s < p->step + p->steps; s++) {
        bool mentions = scalar_mentions(s->number[0], size) ||
                        scalar_mentions(s->number[1], size);
        if (s->uses && mentions)
            return true;
    }
    return false;
}

/* Exits if a definition or a declaration is not used. */
static void
check_used(const Builder *b)
{
    const EquationText *e = b->text;
    for (int i = 0; i < e->definitions - 1; i++)
        if (!b->used[i])
            equation_wrong(e, e->definition[i].value->place,
                           "%s is defined, but not used: remove it",
                           e->definition[i].name);
    for (int i = 0; i < e->declarations; i++) {
        const Declaration *d = &e->declaration[i];
        if (!used_weight(b->plan, d->name))
            equation_wrong(e, d->place,
                           "%s has a shape, but the equation does not use it: "
                           "remove this line",
                           d->name);
    }
}

/* Exits if a declared shape is not made of numbers, sizes and settings. */
static void
check_shapes(Builder *b)
{
    const EquationText *e = b->text;
    for (int i = 0; i < e->declarations; i++) {
        const Declaration *d = &e->declaration[i];
        scalar_of(b, d->rows);
        scalar_of(b, d->cols);
        if (d->mean) {
            scalar_of(b, d->mean);
            scalar_of(b, d->deviation);
        }
    }
}

/* Adds the steps of each definition in turn. Returns the value of the last one,
   which is the output. b->count, the number of definitions that have a value,
   limits the names that a value may use. */
static Value
add_definitions(Builder *b)
{
    Value last = {0};
    for (b->count = 0; b->count < b->text->definitions; b->count++) {
        const Definition *d = &b->text->definition[b->count];
        if (d->name)
            check_name(b, d);
        last = value_of(b, d->value, !d->name);
        b->defined[b->count] = last;
        if (d->name && last.sort != SCALAR && last.sort != SLICE)
            b->plan->step[last.step].name = d->name;
    }
    return last;
}

/* The order of the calls matters: widths get their defaults once all products
   have been seen, and only then are matrices ranked; fusing needs the uses, and
   changes them, so they are counted again; twins are looked for among steps in
   use. */
Plan *
plan_make(const EquationText *e)
{
    Plan *p = allocate(1, sizeof *p);
    p->text = e;
    Builder b = {.plan = p, .text = e};
    b.defined = allocate((size_t)e->definitions, sizeof *b.defined);
    b.used = allocate((size_t)e->definitions, sizeof *b.used);
    check_shapes(&b);
    Value output = add_definitions(&b);
    finish_output(&b, output, e->definition[e->definitions - 1].value);
    check_used(&b);
    for (int i = 0; i < p->weights; i++) {
        choose_default_width(p->weight[i].rows);
        choose_default_width(p->weight[i].cols);
    }
    order_weights(p);
    name_weights(p);
    count_uses(p);
    fuse_attention(p);
    count_uses(p);
    for (int i = 0; i < p->steps; i++)
        p->step[i].twin = twin_of(p, i);
    return p;
}

const char *
plan_shape(const Plan *p)
{
    const char *words = "";
    for (int i = 0; i < size_count; i++) {
        const Size *s = &sizes[i];
        if (s->option && plan_uses(p, s->name))
            words = format_text("%s%s%s", words, *words ? " " : "", s->option);
    }
    return words;
}
