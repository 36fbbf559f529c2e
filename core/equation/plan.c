/* plan.c - an equation as a list of steps.

   The definitions of the equation become steps one after another (value.c).
   Then widths that are still unknown get their defaults, and matrices their
   order and names. Finally the steps of plain attention are fused into one,
   STEP_ATTEND, and each step gets its twin (steps.h). */
#include <string.h>

#include "base/words.h"
#include "equation/function_table.h"
#include "equation/matrices.h"
#include "equation/operation.h"
#include "equation/plan.h"
#include "equation/value.h"

/* Sets Step.uses. The steps are visited from last to first. Operands come
   before the steps that use them, so all uses of a step are counted before it
   is visited. The output counts as used once. */
static void
count_uses(Plan *p)
{
    for (int i = 0; i < p->steps; i++)
        p->step[i].uses = 0;
    p->step[p->output].uses = 1;
    for (int i = p->steps - 1; i >= 0; i--) {
        const Step *s = &p->step[i];
        if (!s->uses) /* an unused step does not use its operands either */
            continue;
        for (int k = 0; k < s->inputs; k++)
            p->step[s->in[k]].uses++;
    }
}

/* Can a weighted sum with these attention weights be fused with their softmax
   and scores? The softmax must have no sink, and be used only here. Neither
   step may have a name, because a named step becomes a variable in the C file.
 */
static bool
can_fuse(const Step *weights, const Step *scores)
{
    bool plain = weights->kind == STEP_SOFTMAX && scores->kind == STEP_SCORES;
    bool named = weights->name || scores->name;
    return plain && !named && weights->uses == 1;
}

/* Replaces the weighted sum in softmax(q k') v by attend(q, k, v) wherever
   can_fuse allows it. The steps of scores and softmax stay in the plan, but are
   no longer used. */
static void
fuse_attention(Plan *p)
{
    for (Step *s = p->step; s < p->step + p->steps; s++) {
        if (s->kind != STEP_APPLY)
            continue;
        const Step *weights = &p->step[s->in[0]];
        /* The operand of the weights: scores, if the weights are a softmax. */
        const Step *scores = &p->step[weights->in[0]];
        if (!can_fuse(weights, scores))
            continue;
        int queries = scores->in[0], keys = scores->in[1], values = s->in[1];
        *s = (Step){.kind = STEP_ATTEND,
                    .in = {queries, keys, values},
                    .inputs = 3,
                    .scalar = {[ONLY_SCALAR] = scores->scalar[ONLY_SCALAR]},
                    .name = s->name};
    }
}

static bool
is_x_or_y(const Step *s)
{
    return s->kind == STEP_X || s->kind == STEP_Y;
}

/* Would two steps have the same value if y were x? The twins of their operands
   must be known. */
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

/* The twin of a step (steps.h), among the steps in use. The twins of all
   earlier steps must be known. */
static int
twin_of(const Plan *p, int step)
{
    for (int i = 0; i < step; i++)
        if (p->step[i].uses && are_twins(p, &p->step[i], &p->step[step]))
            return i;
    return step;
}

/* Exits if a definition cannot have its name. The message marks the value,
   because the place of the name is not kept. */
static void
check_name(const Builder *b, const Definition *d)
{
    const char *name = d->name, *place = d->value->place;
    bool is_tokens = !strcmp(name, "x") || !strcmp(name, "y");
    bool is_scalar = size_named(name) || has_setting(b->text, name);
    if (is_tokens || is_scalar || is_function(name))
        refuse(b, place, "%s already has a meaning: choose another name", name);
    for (int k = 0; k < b->defined_count; k++)
        if (b->text->definition[k].name == name)
            refuse(b, place, "%s is defined above: choose another name", name);
    if (used_weight(b->plan, name))
        refuse(b, place,
               "%s is a matrix above: choose another name, or define it before "
               "its first use",
               name);
}

/* Makes `out` the plan's output. If it has heads, sums them. Exits unless it
   has a row for each query, and rows as wide as a token. */
static void
finish_output(Builder *b, Value out)
{
    if (out.sort != TOKENS || out.transposed)
        refuse(b, out.place,
               "the output must have a row for each token, as in softmax(...) "
               "y W_i^V W_i^O");
    if (row_source(b, out) == 'y')
        refuse(b, out.place,
               "the output must have a row for each query in x, but this has "
               "one for each key in y: compute it from x");
    require_equal(b->text, out.width, width_new(tree_name("d_model")),
                  out.place, "the output must be as wide as a token");
    b->plan->output = out.step;
    if (out.heads) {
        int sum = add_unary(b, STEP_SUM_HEADS, out.step);
        b->plan->step[sum].heads = out.heads;
        b->plan->step[sum].width = out.width;
        b->plan->output = sum;
    }
}

/* Does the shape of a matrix, or the distribution of its initial entries,
   depend on the size with this name? */
static bool
weight_uses(const PlanWeight *w, const char *size)
{
    bool shape = scalar_mentions(w->heads, size) ||
                 scalar_mentions(width_known(w->rows), size) ||
                 scalar_mentions(width_known(w->cols), size);
    const Declaration *d = w->declared;
    bool distribution = d && (scalar_mentions(d->mean, size) ||
                              scalar_mentions(d->deviation, size));
    return shape || distribution;
}

/* Does a matrix, or a step in use, depend on the size with this name? */
static bool
plan_uses(const Plan *p, const char *size)
{
    for (int i = 0; i < p->weights; i++)
        if (weight_uses(&p->weight[i], size))
            return true;
    for (const Step *s = p->step; s < p->step + p->steps; s++)
        for (int k = 0; k < MOST_SCALARS; k++)
            if (s->uses && scalar_mentions(s->scalar[k], size))
                return true;
    return false;
}

/* Exits if a declaration or a definition is not used. The last definition is
   the output, which no line needs to use. */
static void
check_used(const Builder *b)
{
    const EquationText *e = b->text;
    int output = e->definitions - 1;
    for (int i = 0; i < output; i++)
        if (!b->used[i])
            equation_wrong(e, e->definition[i].value->place,
                           "%s is defined, but not used: remove it",
                           e->definition[i].name);
    for (int i = 0; i < e->declarations; i++) {
        const Declaration *d = &e->declaration[i];
        if (!used_weight(b->plan, d->name))
            equation_wrong(e, d->place,
                           "%s is declared, but the equation does not use it: "
                           "remove this line",
                           d->name);
    }
}

/* Exits unless every declaration is made of scalars: scalar_of exits if its
   argument is not one. */
static void
check_declarations(Builder *b)
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

/* Adds the steps of each definition in turn. Returns the value of the last
   definition, which is the output. A definition may use only earlier ones:
   their number is b->defined_count. */
static Value
add_definitions(Builder *b)
{
    Value last = {0};
    for (int i = 0; i < b->text->definitions; i++) {
        const Definition *d = &b->text->definition[i];
        if (d->name)
            check_name(b, d);
        last = value_of(b, d->value, d->name ? INNER_PART : OUTPUT_TERM);
        b->defined[i] = last;
        b->defined_count = i + 1;
        if (d->name && last.sort != SCALAR && last.sort != SLICE)
            b->plan->step[last.step].name = d->name;
    }
    return last;
}

/* The order of the calls matters. Widths get defaults only after all products
   have had a chance to determine them. The order of matrices depends on their
   shapes, so it is found after that. Fusing needs the uses and changes them, so
   they are counted before and after it. Twins are found last, among the steps
   that are still in use. */
Plan *
plan_make(const EquationText *e)
{
    Plan *p = allocate(1, sizeof *p);
    p->text = e;
    Builder b = {.plan = p, .text = e};
    b.defined = allocate((size_t)e->definitions, sizeof *b.defined);
    b.used = allocate((size_t)e->definitions, sizeof *b.used);
    check_declarations(&b);
    finish_output(&b, add_definitions(&b));
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
