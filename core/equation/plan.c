/* plan.c - an equation as a list of steps. */
#include <string.h>

#include "base/words.h"
#include "equation/matrices.h"
#include "equation/operation.h"
#include "equation/plan.h"
#include "equation/value.h"

/* Counts how often the steps that the output depends on use each other. */
static void
count_uses(Plan *p)
{
    for (int i = 0; i < p->steps; i++)
        p->step[i].uses = i == p->output;
    for (int i = p->steps - 1; i >= 0; i--) {
        const Step *s = &p->step[i];
        for (int k = 0; s->uses && k < s->inputs; k++)
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

/* If y is x, two steps may compute the same value. Returns the earlier one that
   `step` repeats, or `step` itself. */
static int
first_twin(const Plan *p, int step)
{
    int twin = p->step[step].twin;
    return twin >= 0 ? twin : step;
}

/* Would two steps have the same value if y were x? */
static bool
are_twins(const Plan *p, const Step *s, const Step *t)
{
    bool tokens = (s->act == STEP_X || s->act == STEP_Y) &&
                  (t->act == STEP_X || t->act == STEP_Y);
    bool same =
        s->act == t->act && s->inputs == t->inputs && s->weight == t->weight;
    for (int k = 0; same && k < s->inputs; k++)
        same = first_twin(p, s->in[k]) == first_twin(p, t->in[k]);
    for (int k = 0; same && k < 2; k++)
        same = equal_numbers(p->text, s->number[k], t->number[k]);
    return tokens || same;
}

/* Finds for each step an earlier one that computes the same if y is x, as the
   map of x and the map of y by one matrix do. */
static void
find_twins(Plan *p)
{
    for (int i = 0; i < p->steps; i++) {
        p->step[i].twin = -1;
        for (int k = 0; k < i && p->step[i].twin < 0; k++)
            if (p->step[k].uses && are_twins(p, &p->step[k], &p->step[i]))
                p->step[i].twin = k;
    }
}

/* Exits if a definition cannot have its name. */
static void
check_name(const Builder *b, const Definition *d)
{
    const char *at = d->value->at;
    if (size_named(d->name) || has_setting(b->text, d->name) ||
        !strcmp(d->name, "x") || !strcmp(d->name, "y") || is_function(d->name))
        equation_wrong(b->text, at,
                       "%s has a meaning already: choose another name",
                       d->name);
    for (int k = 0; k < b->count; k++)
        if (b->text->definition[k].name == d->name)
            equation_wrong(b->text, at,
                           "%s is defined above: choose another name", d->name);
    for (int k = 0; k < b->plan->weights; k++)
        if (b->plan->weight[k].written == d->name)
            equation_wrong(b->text, at,
                           "%s is a matrix above: choose another name, or "
                           "define it before its first use",
                           d->name);
}

/* The last factor of an output that ends in a product; or NULL. */
static const Tree *
last_factor(const Tree *t)
{
    const Tree *last = NULL;
    for (int i = 0; t->kind == TREE_PRODUCT && i < t->count; i++)
        if (t->of[i]->kind != TREE_INVERSE && t->of[i]->kind != TREE_NUMBER)
            last = t->of[i];
    return last;
}

/* Makes a value the output: it must have a row for each token, as wide as a
   token. If it has heads, they are summed. */
static void
finish_output(Builder *b, Value out, const Tree *t)
{
    const Tree *last = last_factor(t);
    if (out.sort != TOKENS || out.transposed)
        equation_wrong(b->text, t->at,
                       "the output must have a row for each token: "
                       "softmax(...) y W_i^V W_i^O");
    bool named = last && last->kind == TREE_NAME;
    for (int i = 0; named && i < b->plan->weights; i++) {
        const PlanWeight *w = &b->plan->weight[i];
        if (out.heads && last->name == w->written && !w->heads)
            equation_wrong(b->text, last->at,
                           "%s has no index, and what it maps has heads: write "
                           "W_i^O for the block of head i",
                           last->name);
    }
    if (tokens_behind(b, out.step) == 'y')
        equation_wrong(b->text, t->at,
                       "the output must have a row for each query in x");
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

/* Exits if the setting that begins at `at` is not NAME=VALUE, or not used. */
static void
check_setting(const Plan *p, const char *at)
{
    const char *path = p->text->path;
    char *name = format_text("%.*s", (int)strcspn(at, "= "), at);
    if (at[strlen(name)] != '=')
        fail("%s: settings: \"%s\" has no value: write %s=2", path, name, name);
    for (char *c = name; *c; c++)
        if (*c == '-')
            *c = '_';
    if (!plan_uses(p, name))
        fail("%s: settings: the equation does not use %s: use it, or leave it "
             "out",
             path, name);
}

static void
check_settings(const Plan *p)
{
    const char *at = p->text->settings;
    at += strspn(at, " ");
    while (*at) {
        check_setting(p, at);
        at += strcspn(at, " ");
        at += strspn(at, " ");
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
    Value last = {0};
    for (; b.count < e->definitions; b.count++) {
        const Definition *d = &e->definition[b.count];
        if (d->name)
            check_name(&b, d);
        last = value_of(&b, d->value, !d->name);
        b.defined[b.count] = last;
        if (d->name && last.sort != NUMBERS && last.sort != SLICE)
            p->step[last.step].name = d->name;
    }
    finish_output(&b, last, e->definition[e->definitions - 1].value);
    check_used(&b);
    for (int i = 0; i < p->weights; i++) {
        choose_width(p->weight[i].rows);
        choose_width(p->weight[i].cols);
    }
    check_settings(p);
    order_weights(p);
    name_weights(p);
    count_uses(p);
    fuse_attention(p);
    count_uses(p);
    find_twins(p);
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
