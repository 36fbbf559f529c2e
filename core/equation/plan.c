/* plan.c - an equation as a list of steps. */
#include <string.h>

#include "base/words.h"
#include "equation/matrices.h"
#include "equation/operation.h"
#include "equation/plan.h"
#include "equation/value.h"

/* Counts for each step by how many it is used, of those that the output depends
   on. The output counts as used. */
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

/* softmax(q k') v is one operator, attend, if nothing else reads the weights,
   and neither they nor the scores have a name. */
static void
fuse_attention(Plan *p)
{
    for (Step *s = p->step; s < p->step + p->steps; s++) {
        if (s->act != STEP_APPLY)
            continue;
        const Step *weights = &p->step[s->in[0]];
        const Step *scores = &p->step[weights->in[0]];
        bool plain = weights->act == STEP_SOFTMAX && weights->inputs == 1 &&
                     weights->uses == 1;
        if (!plain || scores->act != STEP_SCORES || weights->name ||
            scores->name)
            continue;
        *s = (Step){.act = STEP_ATTEND,
                    .in = {scores->in[0], scores->in[1], s->in[1]},
                    .inputs = 3,
                    .number = {scores->number[0]},
                    .name = s->name,
                    .at = s->at};
    }
}

/* The twin of a step or, if it has none, the step itself. Two steps with the
   same first twin have the same value if y is x. */
static int
first_twin(const Plan *p, int step)
{
    int twin = p->step[step].twin;
    return twin >= 0 ? twin : step;
}

static bool
is_tokens(const Step *s)
{
    return s->act == STEP_X || s->act == STEP_Y;
}

/* Would two steps have the same value if y were x? */
static bool
are_twins(const Plan *p, const Step *s, const Step *t)
{
    if (is_tokens(s) && is_tokens(t))
        return true;
    if (!same_operator(p, s, t))
        return false;
    for (int k = 0; k < s->inputs; k++)
        if (first_twin(p, s->in[k]) != first_twin(p, t->in[k]))
            return false;
    return true;
}

/* The twin of a step: the first earlier one that computes the same if y is x,
   as the map of x and the map of y by one matrix do; -1 if there is none. */
static int
twin_of(const Plan *p, int step)
{
    for (int i = 0; i < step; i++)
        if (p->step[i].uses && are_twins(p, &p->step[i], &p->step[step]))
            return i;
    return -1;
}

/* Exits if a definition cannot have its name. */
static void
check_name(const Builder *b, const Definition *d)
{
    const char *at = d->value->at;
    if (size_named(d->name) || has_setting(b->text, d->name) ||
        !strcmp(d->name, "x") || !strcmp(d->name, "y") || is_function(d->name))
        refuse(b, at, "%s has a meaning already: choose another name", d->name);
    for (int k = 0; k < b->count; k++)
        if (b->text->definition[k].name == d->name)
            refuse(b, at, "%s is defined above: choose another name", d->name);
    for (int k = 0; k < b->plan->weights; k++)
        if (b->plan->weight[k].written == d->name)
            refuse(b, at,
                   "%s is a matrix above: choose another name, or define it "
                   "before its first use",
                   d->name);
}

/* The last factor of a product that is not a number; NULL if t is no product.
 */
static const Tree *
last_factor(const Tree *t)
{
    const Tree *last = NULL;
    if (t->kind != TREE_PRODUCT)
        return NULL;
    for (int i = 0; i < t->count; i++)
        if (t->of[i]->kind != TREE_INVERSE && t->of[i]->kind != TREE_NUMBER)
            last = t->of[i];
    return last;
}

/* Exits if an output t that still has heads ends in a matrix without an index,
   such as W^O: it would map each head, but most likely W_i^O is meant. */
static void
check_last_matrix(const Builder *b, const Tree *t)
{
    const Tree *last = last_factor(t);
    if (!last || last->kind != TREE_NAME)
        return;
    for (int i = 0; i < b->plan->weights; i++) {
        const PlanWeight *w = &b->plan->weight[i];
        if (last->name == w->written && !w->heads)
            refuse(b, last->at,
                   "%s has no index, but the value it maps has heads: write "
                   "W_i^O for the block of head i",
                   last->name);
    }
}

/* Makes a value the output: it must have a row for each token, as wide as a
   token. If it has heads, they are summed. */
static void
finish_output(Builder *b, Value out, const Tree *t)
{
    if (out.sort != TOKENS || out.transposed)
        refuse(b, t->at,
               "the output must have a row for each token: softmax(...) y "
               "W_i^V W_i^O");
    if (out.heads)
        check_last_matrix(b, t);
    if (tokens_behind(b, out.step) == 'y')
        refuse(b, t->at,
               "the output must have a row for each query in x, but this has "
               "one for each key in y");
    make_equal(b->text, out.width, width_new(tree_name("d_model")), t->at,
               "the output must be as wide as a token");
    if (out.heads) {
        Tree *heads = out.heads;
        out.step = add_step(b, STEP_SUM_HEADS, t->at, out.step, NO_STEP);
        b->plan->step[out.step].heads = heads;
        b->plan->step[out.step].width = out.width;
    }
    b->plan->output = out.step;
}

/* Does a step depend on the size of that name? */
static bool
step_names(const Step *s, const char *size)
{
    return scalar_names(s->number[0], size) || scalar_names(s->number[1], size);
}

/* Does any width, or any number of a step, depend on the size of that name? */
static bool
plan_uses(const Plan *p, const char *size)
{
    for (int i = 0; i < p->weights; i++) {
        const PlanWeight *w = &p->weight[i];
        if (scalar_names(w->heads, size) ||
            scalar_names(width_known(w->rows), size) ||
            scalar_names(width_known(w->cols), size) ||
            (w->declared && (scalar_names(w->declared->mean, size) ||
                             scalar_names(w->declared->deviation, size))))
            return true;
    }
    for (int i = 0; i < p->steps; i++)
        if (p->step[i].uses && step_names(&p->step[i], size))
            return true;
    return false;
}

/* Exits if a definition or a declaration is not used. */
static void
check_used(const Builder *b)
{
    const EquationText *e = b->text;
    const Plan *p = b->plan;
    for (int i = 0; i < e->definitions - 1; i++)
        if (!b->used[i])
            equation_wrong(e, e->definition[i].value->at,
                           "%s is defined, but not used: leave it out",
                           e->definition[i].name);
    for (int i = 0; i < e->declarations; i++) {
        const Declaration *d = &e->declaration[i];
        bool used = false;
        for (int k = 0; k < p->weights; k++)
            used |= p->weight[k].declared == d;
        if (!used)
            equation_wrong(e, d->at,
                           "%s has a shape, but the equation does not use it: "
                           "leave it out",
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
        number_of(b, d->rows);
        number_of(b, d->cols);
        if (d->mean) {
            number_of(b, d->mean);
            number_of(b, d->deviation);
        }
    }
}

/* Makes the steps of each definition in turn. Returns the value of the last,
   which is the output. */
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
        if (d->name && last.sort != NUMBERS && last.sort != SLICE)
            b->plan->step[last.step].name = d->name;
    }
    return last;
}

/* First the values of all lines become steps, and widths are found; then
   matrices get their order and names, and steps are joined to attend. */
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
        choose_width(p->weight[i].rows);
        choose_width(p->weight[i].cols);
    }
    order_weights(p);
    name_weights(p);
    count_uses(p);
    fuse_attention(p);
    count_uses(p); /* again, since the scores and weights that were fused are
                      not used any more */
    for (int i = 0; i < p->steps; i++)
        p->step[i].twin = twin_of(p, i);
    return p;
}

const char *
plan_shape(const Plan *p)
{
    const char *words = "";
    for (int i = 0; i < size_count; i++)
        if (sizes[i].option && plan_uses(p, sizes[i].name))
            words = format_text("%s%s%s", words, *words ? " " : "",
                                sizes[i].option);
    return words;
}
