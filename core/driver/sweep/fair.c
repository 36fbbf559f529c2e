/* fair.c - what makes a comparison fair: equal budgets, equal starts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "variant/cost.h"
#include "model/model.h"
#include "train/convert.h"
#include "train/observe.h"
#include "driver/cli/child.h"
#include "driver/sweep/fair.h"

enum { PATIENCE = 600 }; /* seconds for a child to answer */

/* Asks in a child; exits where there is no answer, with the reason. */
static void
ask(void (*work)(const void *, void *), const void *more, void *to, size_t size)
{
    Ended e = in_child(work, more, to, size, limits(PATIENCE, INFINITY));
    if (!e.answered)
        (e.status == 2 ? usage : fail)("%s", ended_words(&e));
}

/* What the attention of one block costs at c, all of it by this variant. */
static double
price(const char *budget, const Variant *v, Config c, Sizes z)
{
    config_settle(&c, v->shape);
    Attention a = attention_in(&c, z);
    Weights w = weights_declared(v, &a);
    double sum = 0;
    for (int cross = 0; cross < 2; cross++) {
        if (c.cross == (cross ? CROSS_NONE : CROSS_ONLY))
            continue;
        Cost k = cost_of(v, a, &w, z.tokens, cross ? z.source : 0);
        sum += !strcmp(budget, "params")  ? k.parameters
               : !strcmp(budget, "flops") ? k.forward
                                          : k.cache;
    }
    weights_free(&w);
    return sum;
}

/* Sets the width that such a variant can be told; false where it has none. */
static bool
set_width(const char *shape, Config *c, int width)
{
    if (shape_uses(shape, "latent"))
        c->latent = width;
    else {
        c->d_k = shape_uses(shape, "d-k") ? width : c->d_k;
        c->d_v = shape_uses(shape, "d-v") ? width : c->d_v;
    }
    return shape_uses(shape, "latent") || shape_uses(shape, "d-k") ||
           shape_uses(shape, "d-v");
}

/* A variant in the shape that it has at c's point of the grid. */
static Shaped
shaped_at(const char *variant, const char *shape, Config c)
{
    c.variant = variant;
    config_settle(&c, shape);
    return shaped_of(&c);
}

/* A width is asked for, and found; 0 where there is none. */
typedef struct Budget {
    const Config *c;
    const char *baseline;
} Budget;
typedef struct Met {
    int width;
    double wanted, found;
    char name[64], shape[64];
    Shaped of; /* its variant is a pointer that parent and child share */
} Met;

static void
find_width(const void *more, void *answer)
{
    const Budget *b = more;
    Met *met = answer;
    Config c = *b->c;
    const char *budget = c.match.asked;
    const Variant *v = plugin_open(c.variant).variant;
    const Variant *base = plugin_open(b->baseline).variant;
    Dataset data = dataset_open(&c);
    double best = INFINITY;
    met->of = shaped_at(b->baseline, base->shape, c);
    met->wanted = price(budget, base, c, data.sizes);
    met->found = price(budget, v, c, data.sizes);
    snprintf(met->shape, sizeof met->shape, "%s", v->shape);
    snprintf(met->name, sizeof met->name, "%s",
             shape_uses(v->shape, "latent") ? "latent"
             : !shape_uses(v->shape, "d-k") ? "d-v"
             : shape_uses(v->shape, "d-v")  ? "d-k and d-v"
                                            : "d-k");
    for (int w = 1;
         strcmp(c.variant, b->baseline) && set_width(v->shape, &c, w); w++) {
        double cost = price(budget, v, c, data.sizes);
        if (fabs(cost - met->wanted) < best) {
            best = fabs(cost - met->wanted);
            met->width = w;
            met->found = cost;
        }
        if (w >= 4 * c.d_model || cost > 2 * met->wanted)
            break;
    }
    dataset_close(&data);
}

void
meet_budget(const Options *o, Config *c)
{
    const char *baseline = interned(o->baseline ? o->baseline : "standard");
    if (!*c->match.asked || c->match.found)
        return; /* a plan's line says the widths itself */
    if (*c->same_start.asked)
        usage("--match and --same-start contradict each other: another width "
              "is another function; give one");
    Met met = {0};
    ask(find_width, &(Budget){c, baseline}, &met, sizeof met);
    double off = 100 * (met.found / met.wanted - 1);
    if (met.width)
        set_width(met.shape, c, met.width);
    if (met.width && !o->quiet)
        note("--match %s, task %s: %s takes %s %d: %.0f for the %.0f of %s "
             "(%+.0f%%)",
             c->match.asked, c->task, c->variant, met.name, met.width,
             met.found, met.wanted, baseline, off);
    else if (!met.width && strcmp(c->variant, baseline))
        note("--match %s, task %s: %s has no width to change; it stays at %.0f "
             "for the %.0f of %s",
             c->match.asked, c->task, c->variant, met.found, met.wanted,
             baseline);
    c->match.found = true;
    c->match.as = met.of;
}

/* Can the variant at c's point start as that one does? */
static bool
can_start(const Facts *f, Config c, const Shaped *as)
{
    Conversion v;
    c.variant = interned(f->word);
    c.same_start.found = true;
    c.same_start.as = *as;
    Plugin p = plugin_open(f->word);
    config_cast(&c, &p);
    Dataset data = dataset_open(&c);
    Model *m = model_new(&c, data.sizes, p.variant);
    bool can = start_alike(m, &v);
    model_free(m);
    dataset_close(&data);
    return can;
}

/* A start is asked for at c. */
typedef struct Choice {
    const Grid *g;
    const Config *c;
} Choice;

/* Tries a variant as the one to start as; returns how many can follow. */
static int
try_start(const Choice *choice, const Shaped *as, bool able[MOST_VARIANTS])
{
    int count = 0;
    for (int i = 0; i < choice->g->variant_count; i++)
        count += able[i] = can_start(&choice->g->variants[i], *choice->c, as);
    return count;
}

static void
find_start(const void *more, void *answer)
{
    const Choice *choice = more;
    const Config *c = choice->c;
    Start *s = answer, tried = {0};
    double fewest = INFINITY;
    int most = 0;
    const Shaped *asked = &c->same_start.as;
    bool automatic = !strcmp(c->same_start.asked, "auto");
    if (!automatic) {
        int given = 0;
        for (int i = 0; i < SHAPE_COUNT; i++)
            given += asked->shape[i] > 0;
        s->as = given
                    ? *asked
                    : shaped_at(asked->variant,
                                plugin_open(asked->variant).variant->shape, *c);
        try_start(choice, &s->as, s->able);
    }
    for (int i = 0; automatic && i < choice->g->variant_count; i++) {
        const Facts *f = &choice->g->variants[i];
        Config at = *c;
        tried.as = shaped_at(f->word, f->shape, at);
        int count = try_start(choice, &tried.as, tried.able);
        Dataset data = dataset_open(&at);
        double cost =
            price("params", plugin_open(f->word).variant, at, data.sizes);
        dataset_close(&data);
        if (count < most || (count == most && cost >= fewest))
            continue;
        most = count;
        fewest = cost;
        s->as = tried.as;
        memcpy(s->able, tried.able, sizeof s->able);
    }
}

/* The choice for c's point of the grid, made once. */
static const Start *
start_of(Grid *g, const Options *o, const Config *c)
{
    char text[VALUE_SIZE];
    Config point = *c;
    point.variant = interned("");
    for (int i = 0; i < g->start_count; i++)
        if (config_equal(&g->starts[i].point, &point, OF_ANY))
            return &g->starts[i];
    if (g->variant_count > MOST_VARIANTS)
        usage("--same-start: for %d variants at most", MOST_VARIANTS);
    g->starts =
        grow(g->starts, g->start_count, &g->start_room, sizeof *g->starts);
    Start *s = &g->starts[g->start_count++];
    ask(find_start, &(Choice){g, c}, s, sizeof *s);
    s->point = point;
    s->as.variant = interned(s->as.variant);
    int able = 0;
    for (int i = 0; i < g->variant_count; i++)
        able += s->able[i];
    if (able < 1 + (g->variant_count > 1))
        usage("--same-start %s: no two of the variants can start as the same "
              "function",
              c->same_start.asked);
    if (!o->quiet) {
        shaped_print(&s->as, text);
        note("task %s: all start as %s", c->task, text);
    }
    return s;
}

void
choose_start(Grid *g, const Options *o, Config *c)
{
    if (!*c->same_start.asked || c->same_start.found)
        return;
    char text[VALUE_SIZE];
    const Start *s = start_of(g, o, c);
    int i = 0;
    while (strcmp(g->variants[i].word, c->variant))
        i++;
    c->same_start.found = true;
    c->same_start.as = s->able[i] ? s->as : (Shaped){.variant = ""};
    if (!s->able[i]) {
        shaped_print(&s->as, text);
        note("%s cannot start as %s does: it keeps a start of its own",
             c->variant, text);
    }
}

static void
build(const void *more, void *answer)
{
    (void)answer;
    Config c = *(const Config *)more;
    Plugin p = plugin_open(c.variant);
    config_cast(&c, &p);
    Dataset data = dataset_open(&c);
    Model *m = model_new(&c, data.sizes, p.variant);
    Observer o = observer_new(m, &data);
    observer_free(&o);
    model_free(m);
    dataset_close(&data);
}

void
check_build(const Config *c)
{
    if (*c->init || *c->log || c->depth)
        ask(build, c, NULL, 0);
}
