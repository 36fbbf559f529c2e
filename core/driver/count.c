/* count.c - qkv count: what variants cost, at any shape, without training. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "cost.h"
#include "fail.h"
#include "model.h"
#include "options.h"
#include "print.h"
#include "words.h"

/* Published shapes. layers counts attention sublayers: the base Transformer has
   6 in the encoder and 2 in each of the decoder's 6 layers. */
static const struct Preset {
    const char *name, *settings, *source;
    double extra_cache; /* that our mla lacks, per layer */
} presets[] = {
    {"transformer-base", "d-model=512 heads=8 layers=18 length=128",
     "Vaswani et al. 2017, table 3", 0},
    {"transformer-big", "d-model=1024 heads=16 layers=18 length=128",
     "Vaswani et al. 2017, table 3", 0},
    {"deepseek-v2",
     "d-model=5120 heads=128 d-k=128 d-v=128 latent=512 layers=60 length=128",
     "DeepSeek-V2 2024, section 3.1.2; its rotary key apart", 64},
};
enum { PRESETS = sizeof presets / sizeof *presets };

static const struct Preset *
preset_named(const char *name)
{
    const char *names[PRESETS];
    for (int i = 0; i < PRESETS; i++) {
        names[i] = presets[i].name;
        if (!strcmp(name, names[i]))
            return &presets[i];
    }
    usage("unknown preset \"%s\"%s", name, did_you_mean(name, names, PRESETS));
}

/* The start config, the preset's, and what the user gave on top. */
static Config
shape_of(const Options *o)
{
    Config c = config_start();
    if (o->preset)
        config_apply(&c, preset_named(o->preset)->settings);
    for (int i = 0; i < setting_count; i++)
        if (o->given[i].count && strcmp(settings[i].name, "variant"))
            setting_set(&settings[i], &c, o->given[i].text[0]);
    return c;
}

static void
number(Sheet *sheet, double x)
{
    if (isnan(x))
        sheet_add(sheet, "-");
    else
        sheet_add(sheet, "%.0f", x);
}

/* One variant at its settled shape: all layers' parameters and cache, a token's
   FLOPs. */
static void
add_variant(Sheet *sheet, const char *word, Config c)
{
    Plugin p = plugin_open(word);
    config_settle(&c, p.variant->shape);
    Attention a = attention_of(&c);
    Weights w = weights_declared(p.variant, &a);
    Cost cost = cost_of(p.variant, a, &w, c.length);
    sheet_add(sheet, "%s", p.name);
    number(sheet, cost.parameters * c.layers);
    number(sheet, cost.forward * c.layers);
    number(sheet, cost.backward * c.layers);
    number(sheet, cost.cache * c.layers);
    number(sheet, cost.activations * c.layers);
    weights_free(&w);
}

int
command_count(int argc, char **argv)
{
    static const char *const names[] = {
        "variant", "parameters", "forward", "backward", "cache", "activations"};
    Options o = options_read(argc, argv, COUNT_COSTS);
    Config c = shape_of(&o);
    Values *given = options_given(&o, "variant");
    Sheet sheet = {.cols = 6};
    int count = given->count;
    char **words = given->count ? given->text : plugin_list(&count);
    for (int i = 0; i < sheet.cols; i++)
        sheet_add(&sheet, "%s", names[i]);
    for (int i = 0; i < count; i++)
        add_variant(&sheet, words[i], c);
    sheet_print(&sheet, wants_tsv(o.tsv));
    if (!wants_tsv(o.tsv))
        printf(
            "\n%d attention layers of d-model %d, heads %d, %d tokens; no "
            "embedding, MLP or norm.\nforward, backward: FLOPs a token (2 a "
            "multiply-add of products); cache: numbers a\ndecoder keeps of a "
            "token; activations: numbers a training step keeps of one.\n",
            c.layers, c.d_model, c.heads, c.length);
    if (o.preset) {
        const struct Preset *preset = preset_named(o.preset);
        note("%s: %s", o.preset, preset->source);
        if (preset->extra_cache > 0)
            note(
                "its rotary key, which our mla lacks, is %.0f numbers a layer, "
                "%.0f in all",
                preset->extra_cache, preset->extra_cache * c.layers);
    }
    for (int i = 0; i < count && !given->count; i++)
        free(words[i]);
    if (!given->count)
        free(words);
    options_free(&o);
    return 0;
}
