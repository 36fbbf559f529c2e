/* count.c - qkv count: what variants cost, at any shape, without training. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "variant/cost.h"
#include "model/model.h"
#include "driver/cli/describe.h"
#include "driver/cli/options.h"
#include "driver/cli/table.h"
#include "driver/commands.h"

/* Published shapes. layers counts attention sublayers: the base Transformer has
   6 in the encoder and 2 in each of the decoder's 6 layers. */
static const struct Preset {
    const char *name, *settings, *source;
    double extra_cache; /* numbers a layer that mla as published keeps too */
    double keeping;     /* the share of layers that a decoder has */
} presets[] = {
    {"transformer-base", "d-model=512 heads=8 layers=18 length=128",
     "Vaswani et al. 2017, table 3", 0, 2. / 3},
    {"transformer-b32", "d-model=512 heads=8 d-k=32 layers=18 length=128",
     "Vaswani et al. 2017, table 3, rows (B)", 0, 2. / 3},
    {"transformer-b16", "d-model=512 heads=8 d-k=16 layers=18 length=128",
     "Vaswani et al. 2017, table 3, rows (B)", 0, 2. / 3},
    {"transformer-big", "d-model=1024 heads=16 layers=18 length=128",
     "Vaswani et al. 2017, table 3", 0, 2. / 3},
    {"bert-base", "d-model=768 heads=12 layers=12 length=512",
     "Devlin et al. 2018, section 3", 0, 0},
    {"gpt-3", "d-model=12288 heads=96 d-k=128 d-v=128 layers=96 length=2048",
     "Brown et al. 2020, table 2.1", 0, 1},
    {"llama-2-70b", "d-model=8192 heads=64 kv-heads=8 layers=80 length=4096",
     "Touvron et al. 2023, table 1; it is gqa", 0, 1},
    {"deepseek-v2",
     "d-model=5120 heads=128 d-k=128 d-v=128 latent=512 layers=60 length=128",
     "DeepSeek-V2 2024, section 3.1.2; it is mla", 64, 1},
};
enum { PRESETS = sizeof presets / sizeof *presets };

static const struct Preset *
preset_named(const char *name)
{
    const char *names[PRESETS];
    char all[256] = "";
    for (int i = 0; i < PRESETS; i++) {
        names[i] = presets[i].name;
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", names[i]);
        if (!strcmp(name, names[i]))
            return &presets[i];
    }
    usage("unknown preset \"%s\"%s: there are%s", name,
          did_you_mean(name, names, PRESETS), all);
}

/* The start config, the preset's, and what the user gave on top. */
static Config
shape_of(const Options *o)
{
    Config c = config_start();
    if (o->count.preset)
        config_apply(&c, preset_named(o->count.preset)->settings);
    options_apply(o, &c);
    return c;
}

/* One variant at its settled shape: all layers' parameters and cache, a token's
   FLOPs. Returns what is cached. */
static double
add_variant(Sheet *sheet, const Plugin *p, Config c, double keeping)
{
    config_settle(&c, p->variant->shape);
    Attention a = attention_of(&c);
    Weights w = weights_declared(p->variant, &a);
    Cost cost = cost_of(p->variant, a, &w, c.length, 0);
    double cached = keeping > 0 ? cost.cache * c.layers * keeping : NAN;
    sheet_row(sheet, cell_words(p->name),
              cell_number(cost.parameters * c.layers),
              cell_number(cost.forward * c.layers),
              cell_number(cost.backward * c.layers), cell_number(cached),
              cell_number(cost.activations * c.layers));
    weights_free(&w);
    return cached;
}

/* What the published model caches beside what our variant of that name does:
   a line of its own, and the sum. */
static void
add_extra(Sheet *sheet, double ours, double extra)
{
    Cell none = cell_number(NAN);
    sheet_row(sheet, cell_words("+ its rotary key"), none, none, none,
              cell_number(extra), none);
    sheet_row(sheet, cell_words("= as published"), none, none, none,
              cell_number(ours + extra), none);
}

/* Its matrices, one a line. */
static void
add_weights(Sheet *sheet, const Plugin *p, Config c)
{
    config_settle(&c, p->variant->shape);
    Attention a = attention_of(&c);
    Weights w = weights_declared(p->variant, &a);
    for (int i = 0; i < w.count; i++) {
        const Declared *d = &w.list[i];
        double count = (double)d->rows * d->cols;
        sheet_row(sheet, cell_words(p->name), cell_words(d->name),
                  cell_number(d->rows), cell_number(d->cols),
                  cell_number(count), cell_number(count * c.layers));
    }
    weights_free(&w);
}

static void
explain(const Config *c, bool weights, Layout layout)
{
    char *text = format_text(
        "%d layer%s of d-model %d, heads %d, %d tokens; no embedding, MLP or "
        "norm.%s",
        c->layers, c->layers > 1 ? "s" : "", c->d_model, c->heads, c->length,
        weights ? ""
                : " forward, backward: FLOPs a token (2 a multiply-add of "
                  "products); cache: numbers a decoder keeps of a token; "
                  "activations: numbers a training step keeps of one.");
    words_below(stdout, text, layout);
    free(text);
}

/* Where the shape comes from, and what of it was changed. */
static void
cite(const Options *o)
{
    bool changed = false;
    for (int i = 0; i < setting_count; i++)
        changed |= o->given[i].count && strcmp(settings[i].name, "variant");
    note("%s: %s%s", o->count.preset, preset_named(o->count.preset)->source,
         changed ? "; changed by what was given with it" : "");
}

int
command_count(int argc, char **argv)
{
    static const Column of_variants[] = {
        {"variant", .words = true}, {.name = "parameters"},
        {.name = "forward"},        {.name = "backward"},
        {.name = "cache"},          {.name = "activations"}};
    static const Column of_weights[] = {
        {"variant", .words = true}, {"matrix", .words = true},
        {.name = "rows"},           {.name = "columns"},
        {.name = "numbers"},        {.name = "in all layers"}};
    Options o = options_read(argc, argv, COUNT_COSTS);
    Config c = shape_of(&o);
    const struct Preset *preset =
        o.count.preset ? preset_named(o.count.preset) : NULL;
    Values *given = options_given(&o, "variant");
    Layout layout = layout_of(&o);
    Sheet sheet = sheet_of(o.count.weights ? of_weights : of_variants, 6);
    int count = given->count, status = 0;
    char **words = given->count ? given->text : plugin_list(&count);
    for (int i = 0; i < count; i++) {
        Facts f = {.ok = true};
        if (!given->count) /* who cannot have the shape is left out */
            f = describe(words[i], &c, true);
        if (!f.ok) {
            note("%s is left out: %s", f.name, f.why);
            status = 1;
            continue;
        }
        Plugin p = plugin_open(words[i]);
        if (o.count.weights) {
            add_weights(&sheet, &p, c);
            continue;
        }
        double cached =
            add_variant(&sheet, &p, c, preset ? preset->keeping : 1);
        if (preset && preset->extra_cache > 0 && !strcmp(p.name, "mla"))
            add_extra(&sheet, cached, preset->extra_cache * c.layers);
    }
    sheet_print(&sheet, layout);
    explain(&c, o.count.weights, layout);
    if (preset)
        cite(&o);
    for (int i = 0; i < count && !given->count; i++)
        free(words[i]);
    if (!given->count)
        free(words);
    options_free(&o);
    return status;
}
