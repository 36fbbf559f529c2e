/* fair.c - what makes a comparison fair: equal budgets, equal starts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "cost.h"
#include "fail.h"
#include "fair.h"
#include "model.h"
#include "words.h"

/* Has the variant that shape option? */
static bool
uses(const Variant *v, const char *option)
{
    size_t n = strlen(option);
    for (const char *at = v->shape; (at = strstr(at, option)); at += n)
        if ((at == v->shape || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

/* What --match counts of a variant at c, settled for it. */
static double
price(const char *budget, const Variant *v, Config c)
{
    config_settle(&c, v->shape);
    Attention a = attention_of(&c);
    Weights w = weights_declared(v, &a);
    Cost k = cost_of(v, a, &w, c.length);
    weights_free(&w);
    return !strcmp(budget, "params")  ? k.parameters
           : !strcmp(budget, "flops") ? k.forward
                                      : k.cache;
}

/* Sets the width that a variant can be told; false where it has none. */
static bool
set_width(const Variant *v, Config *c, int width)
{
    if (uses(v, "latent"))
        c->latent = width;
    else {
        c->d_k = uses(v, "d-k") ? width : c->d_k;
        c->d_v = uses(v, "d-v") ? width : c->d_v;
    }
    return uses(v, "latent") || uses(v, "d-k") || uses(v, "d-v");
}

void
meet_budget(const Options *o, Config *c)
{
    const char *baseline = o->baseline ? o->baseline : "standard";
    if (!o->match || !strcmp(c->variant, baseline))
        return;
    const Variant *v = plugin_open(c->variant).variant;
    double wanted = price(o->match, plugin_open(baseline).variant, *c);
    double best = INFINITY, found = 0;
    int width = 0, most = 4 * c->d_model;
    Config tried = *c;
    for (int w = 1; set_width(v, &tried, w) && w <= most; w++) {
        double cost = price(o->match, v, tried);
        if (fabs(cost - wanted) < best) {
            best = fabs(cost - wanted);
            width = w;
            found = cost;
        }
        if (cost > 2 * wanted && width)
            break;
    }
    if (!width) {
        note("--match %s: %s has no width to change; it stays at %.0f, %s "
             "at %.0f",
             o->match, c->variant, price(o->match, v, *c), baseline, wanted);
        return;
    }
    set_width(v, c, width);
    if (!o->quiet)
        note("--match %s, task %s: %s takes %s %d: %.0f for the %.0f of %s",
             o->match, c->task, c->variant,
             uses(v, "latent") ? "latent"
             : !uses(v, "d-k") ? "d-v"
             : uses(v, "d-v")  ? "d-k and d-v"
                               : "d-k",
             width, found, wanted, baseline);
}

/* The variant at c's point of the grid, with its shape, as --same-start takes
   it: "standard+heads=4+d-k=8+d-v=8". */
static void
start_word(const Facts *f, Config c, char word[WORD_SIZE])
{
    static const char *const options[] = {"heads", "kv-heads", "d-k", "d-v",
                                          "latent"};
    config_settle(&c, f->shape);
    snprintf(word, WORD_SIZE, "%s", f->word);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char value[VALUE_SIZE];
        const Setting *s = setting_named(options[i]);
        if (setting_unused(s, &c))
            continue;
        setting_print(s, &c, value);
        size_t n = strlen(word);
        snprintf(word + n, WORD_SIZE - n, "+%s=%.16s", s->name, value);
    }
}

/* Can the variant f at c's point start as `word` does? */
static bool
can_start(const Facts *f, Config c, const char *word)
{
    Conversion v;
    strcpy(c.variant, f->word);
    strcpy(c.same_start, word);
    Plugin p = plugin_open(f->word);
    config_cast(&c, &p);
    Source s = source_open(&c);
    Model *m = model_new(&c, s.sizes, p.variant);
    bool can = start_alike(m, &v);
    model_free(m);
    source_close(&s);
    return can;
}

/* How many variants can start as `word`; which, in able. */
static int
count_able(const Grid *g, const Config *c, const char *word, bool *able)
{
    int count = 0;
    for (int i = 0; i < g->variant_count; i++)
        count += able[i] = can_start(&g->variants[i], *c, word);
    return count;
}

/* Tries each variant as the one to start as; of those that most can follow, the
   one with the fewest parameters. */
static void
choose_auto(const Grid *g, const Config *c, Start *s)
{
    bool *able = allocate((size_t)g->variant_count, sizeof *able);
    double fewest = INFINITY;
    int most = 0;
    for (int i = 0; i < g->variant_count; i++) {
        char word[WORD_SIZE];
        start_word(&g->variants[i], *c, word);
        int count = count_able(g, c, word, able);
        double cost =
            price("params", plugin_open(g->variants[i].word).variant, *c);
        if (count < most || (count == most && cost >= fewest))
            continue;
        most = count;
        fewest = cost;
        strcpy(s->word, word);
        memcpy(s->able, able, (size_t)g->variant_count * sizeof *able);
    }
    free(able);
    if (most < 2)
        usage("--same-start: no two of the variants can start as the same "
              "function");
}

/* The choice for c's point of the grid, made once. */
static const Start *
start_of(Grid *g, const Options *o, const Config *c)
{
    Config point = *c;
    memset(point.variant, 0, sizeof point.variant);
    point.d_k = point.d_v = point.latent = 0; /* --match changes them */
    for (int i = 0; i < g->start_count; i++)
        if (!memcmp(&g->starts[i].point, &point, sizeof point))
            return &g->starts[i];
    g->starts =
        grow(g->starts, g->start_count, &g->start_room, sizeof *g->starts);
    Start *s = &g->starts[g->start_count++];
    *s = (Start){.able =
                     allocate((size_t)g->variant_count + 1, sizeof *s->able)};
    memcpy(&s->point, &point, sizeof point);
    if (!strcmp(c->same_start, "auto"))
        choose_auto(g, c, s);
    else {
        strcpy(s->word, c->same_start);
        count_able(g, c, s->word, s->able);
    }
    if (!o->quiet)
        note("task %s: all start as %s", c->task, s->word);
    return s;
}

void
choose_start(Grid *g, const Options *o, Config *c)
{
    if (!*c->same_start)
        return;
    const Start *s = start_of(g, o, c);
    int i = 0;
    while (strcmp(g->variants[i].word, c->variant))
        i++;
    strcpy(c->same_start, s->able[i] ? s->word : "");
    if (!s->able[i])
        note("%s cannot start as %s does: it keeps a start of its own",
             c->variant, s->word);
}

void
starts_free(Grid *g)
{
    for (int i = 0; i < g->start_count; i++)
        free(g->starts[i].able);
    free(g->starts);
}
