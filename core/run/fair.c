/* fair.c - what makes a comparison fair: equal budgets, equal starts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/convert.h"
#include "algebra/cost.h"
#include "base/words.h"
#include "config/build_model.h"
#include "config/two_sequences.h"
#include "heart/fail.h"
#include "run/fair.h"
#include "run/manifest.h"

/* The variant in the shape that it has at c's point of the grid. */
static Config
shaped_at(const char *variant, Config c)
{
    c.variant = variant;
    config_resolve(&c, variant_uses(plugin_open(variant).variant));
    return c;
}

/* What the attention of one block costs at c, all of it by this variant. */
static double
price(const char *budget, const char *variant, Config c, Sizes z)
{
    const Variant *v = plugin_open(variant).variant;
    c = shaped_at(variant, c);
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
    free(w.list);
    return sum;
}

/* Sets the width that such a variant can be told; false where it has none. */
static bool
set_width(const char *shape, Config *c, int width)
{
    bool latent = shape_uses(shape, "latent");
    bool k = !latent && shape_uses(shape, "d-k");
    bool v = !latent && shape_uses(shape, "d-v");
    c->latent = latent ? width : c->latent;
    c->d_k = k ? width : c->d_k;
    c->d_v = v ? width : c->d_v;
    return latent || k || v;
}

/* What is the same at several points of a grid is told once. */
static void
note_once(char *text)
{
    static void *told;
    if (word_added(&told, text))
        note("%s", text);
    else
        free(text);
}

/* The width at which c's attention costs most nearly what is wanted; an even
   one where columns are rotated in pairs. No wider one costs less. */
static int
nearest_width(Config c, const char *shape, Sizes z, double wanted)
{
    int step = c.positions == POSITIONS_ROPE ? 2 : 1, best = step;
    double off = INFINITY, cost = 0;
    for (int w = step; w <= 4 * c.d_model && cost < wanted; w += step) {
        set_width(shape, &c, w);
        cost = price(likeness_of(c.match).asked, c.variant, c, z);
        if (fabs(cost - wanted) < off) {
            off = fabs(cost - wanted);
            best = w;
        }
    }
    return best;
}

/* The variant of that name as it was given, which may be a path. */
static const char *
given_as(const Request *o, const char *variant)
{
    const Values *all = given_to(o, "variant");
    char name[NAME_SIZE];
    for (int i = 0; i < all->count; i++) {
        plugin_name(all->text[i], name);
        if (!strcmp(name, variant))
            return interned(all->text[i]);
    }
    return interned(variant);
}

void
meet_budget(const Request *o, Config *c)
{
    const char *baseline = given_as(o, o->baseline ? o->baseline : BASELINE);
    Likeness match = likeness_of(c->match);
    const char *budget = match.asked;
    if (!*budget || match.found)
        return; /* a plan's line says the widths itself */
    if (*c->same_start)
        usage("--match and --same-start contradict each other: another width "
              "is another function; give one");
    const Variant *v = plugin_open(c->variant).variant;
    Dataset data = dataset_open(c);
    Sizes z = data.sizes;
    dataset_close(&data);
    double wanted = price(budget, baseline, *c, z);
    match = (Likeness){budget, true, shaped_at(baseline, *c)};
    c->match = likeness_word(&match);
    if (!strcmp(c->variant, baseline))
        return;
    int width = nearest_width(*c, v->shape, z, wanted);
    if (!set_width(v->shape, c, width))
        note_once(format_text("--match %s, task %s: %s has no width to change",
                              budget, c->task, c->variant));
    else if (!o->work.quiet)
        note_once(format_text("--match %s, task %s: %s takes width %d: %.0f "
                              "for the %.0f of %s",
                              budget, c->task, c->variant, width,
                              price(budget, c->variant, *c, z), wanted,
                              baseline));
}

void
choose_start(Config *c)
{
    Likeness start = likeness_of(c->same_start);
    Config at = *c; /* as it is there, except for what is asked for */
    bool shaped = false;
    if (!*start.asked || start.found)
        return; /* a plan's line says it itself */
    for (const Setting *s = settings; s < settings + settings_built_in; s++)
        shaped |= s->role == OF_SHAPE && !setting_unused(s, &start.as);
    config_shape(&at, &start.as, false);
    start.as = shaped ? start.as : shaped_at(start.as.variant, at);
    start.found = true;
    c->same_start = likeness_word(&start);
    Conversion v;
    Dataset data;
    Model *m = model_open(*c, &data);
    if (!start_alike(m, &v)) {
        note_once(format_text("%s cannot start as %s does: it keeps a start of "
                              "its own",
                              c->variant, start.as.variant));
        start.as = likeness_of("").as;
        c->same_start = likeness_word(&start);
    }
    model_free(m);
    dataset_close(&data);
}
