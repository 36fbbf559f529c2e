/* count.c - qkv count: what variants cost, at any shape, without training. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algebra/cost.h"
#include "algebra/formula.h"
#include "algebra/real_parameters.h"
#include "base/words.h"
#include "config/build_model.h"
#include "config/positions.h"
#include "run/describe.h"
#include "driver/options.h"
#include "run/plugin_process.h"
#include "study/table.h"
#include "driver/commands.h"
#include "heart/fail.h"
#include "heart/threads.h"

/* Published models: the variant that has their attention, its settings, and
   where they are written. layers counts attention sublayers: the base
   Transformer has 6 in the encoder and 2 in each of the decoder's 6 layers.
   length is that of training; 128 is nobody's, where a source does not say it:
   only FLOPs and activations depend on it. */
static const struct Preset {
    const char *name, *variant, *settings, *source;
    double keeping; /* the share of layers that a decoder has */
} presets[] = {
    {"transformer-base", "standard", "d-model=512 heads=8 layers=18 length=128",
     "Vaswani et al. 2017, table 3", 2. / 3},
    {"transformer-b32", "standard",
     "d-model=512 heads=8 d-k=32 layers=18 length=128",
     "Vaswani et al. 2017, table 3, rows (B)", 2. / 3},
    {"transformer-b16", "standard",
     "d-model=512 heads=8 d-k=16 layers=18 length=128",
     "Vaswani et al. 2017, table 3, rows (B)", 2. / 3},
    {"transformer-big", "standard",
     "d-model=1024 heads=16 layers=18 length=128",
     "Vaswani et al. 2017, table 3", 2. / 3},
    {"bert-base", "biased", "d-model=768 heads=12 layers=12 length=512",
     "Devlin et al. 2018, section 3", 0},
    {"gpt2", "biased", "d-model=768 heads=12 layers=12 length=1024",
     "Radford et al. 2019, table 2, the smallest; heads: its hparams.json", 1},
    {"gpt-3", "biased",
     "d-model=12288 heads=96 d-k=128 d-v=128 layers=96 length=2048",
     "Brown et al. 2020, table 2.1", 1},
    {"llama-2-70b", "gqa",
     "d-model=8192 heads=64 kv-heads=8 layers=80 length=4096",
     "Touvron et al. 2023, table 1; widths: the released params.json", 1},
    {"llama-3-8b", "gqa",
     "d-model=4096 heads=32 kv-heads=8 layers=32 length=8192",
     "Llama team 2024, arXiv:2407.21783, table 3", 1},
    {"qwen3-8b", "gqa-qk-norm",
     "d-model=4096 heads=32 kv-heads=8 layers=36 length=128",
     "Qwen team 2025, arXiv:2505.09388, table 1; d-model: its config.json", 1},
    {"deepseek-v2", "mla-rope",
     "d-model=5120 heads=128 d-k=128 d-v=128 latent=512 layers=60 "
     "length=128 query-latent=1536 rope=64",
     "DeepSeek-AI 2024, arXiv:2405.04434, section 3.1.2", 1},
    {"deepseek-v2-lite", "mla-rope",
     "d-model=2048 heads=16 d-k=128 d-v=128 latent=512 layers=27 "
     "length=128 query-latent=0 rope=64",
     "DeepSeek-AI 2024, arXiv:2405.04434, appendix B.1", 1},
};

static const struct Preset *
preset_named(const char *name)
{
    const struct Preset *p = presets;
    while (strcmp(p->name, name))
        p++;
    return p;
}

/* The start config, the preset's, and what the user gave on top. */
static Config
shape_of(const Options *o, const char *preset)
{
    Config c = config_start();
    Own own;
    for (const char *at = preset; own_next(&at, &own);)
        setting_declare(own.name);
    config_apply(&c, preset);
    request_apply(&o->request, &c);
    return c;
}

/* A variant at its resolved shape; its weights are to be freed. */
typedef struct Counted {
    Plugin p;
    Attention a;
    Weights w;
    double stored; /* in one layer, */
    int layers;    /* of so many */
} Counted;

static Counted
counted_of(const char *word, Config c)
{
    Counted v = {.p = plugin_open(word), .layers = c.layers};
    config_resolve(&c, variant_uses(v.p.variant));
    v.a = positioned_attention(&c);
    v.w = weights_declared(v.p.variant, &v.a);
    for (int i = 0; i < v.w.count; i++)
        v.stored += (double)v.w.list[i].rows * v.w.list[i].cols;
    return v;
}

/* How many of what is stored are real by a formula; NaN where none holds. */
static double
fitted_count(const Counted *v)
{
    const Formula *f = formula_fit(v->p.variant, v->a);
    double found = formula_value(f, &v->a, v->stored * v->a.layers);
    char *text = formula_text(f);
    if (found >= 0)
        note("%s: %s%s, by a formula fitted to %d small shapes, checked on %d "
             "others",
             v->p.name, text, v->a.layers > 1 ? " in all layers" : "",
             f->fitted, f->checked);
    else
        note("%s: no formula fits its small shapes, so it has no number here; "
             "up to %d parameters are measured",
             v->p.name, MOST_MEASURED);
    free(text);
    return found;
}

/* How many are real as it is measured; says what the table does not. */
static double
measured_count(const Counted *v, RealCount *r)
{
    const char *name = v->p.name;
    *r = real_count(v->p.variant, v->a, &v->w, 0, false);
    if (r->real < 0)
        note("%s: no gap in its singular values tells those that are 0: they "
             "fall all the way to rounding",
             name);
    if (r->together > 1)
        note("%s: its %d layers are measured as one function, since they use "
             "what others computed",
             name, r->together);
    if (r->found.faint)
        note("%s: %d of its parameters are real only just, by singular values "
             "as small as %.0e of the largest",
             name, r->found.faint, r->found.last);
    return r->real < 0 ? NAN : r->real;
}

/* The two tables: of what all layers cost, a token's FLOPs and numbers; and,
   --real, of what is really there, and the gap that tells. */
static const Column of_table[2][6] = {{{"variant", .words = true},
                                       {.name = "parameters"},
                                       {.name = "forward"},
                                       {.name = "backward"},
                                       {.name = "cache"},
                                       {.name = "activations"}},
                                      {{"variant", .words = true},
                                       {.name = "parameters"},
                                       {.name = "real"},
                                       {.name = "gauge"},
                                       {"smallest", .format = "%.0e"},
                                       {"next", .format = "%.0e"}}};

static void
add_row(Sheet *sheet, const char *name, const double x[5])
{
    sheet_row(sheet, cell_words(name), cell_number(x[0]), cell_number(x[1]),
              cell_number(x[2]), cell_number(x[3]), cell_number(x[4]));
}

static void
add_costs(Sheet *sheet, const Counted *v, int tokens, double keeping)
{
    Cost c = cost_of(v->p.variant, v->a, &v->w, tokens, 0);
    double n = v->layers, cached = keeping > 0 ? c.cache * keeping : NAN;
    add_row(sheet, v->p.name,
            (double[]){c.parameters * n, c.forward * n, c.backward * n,
                       cached * n, c.activations * n});
}

/* False where how many are real cannot be told. */
static bool
add_real(Sheet *sheet, Counted *v, bool fitted)
{
    double stored = v->stored * v->layers;
    RealCount r = {.found = {.last = NAN, .next = NAN}};
    v->a.layers = v->layers;
    fitted |=
        v->stored * real_together(v->p.variant, v->a, &v->w, 0) > MOST_MEASURED;
    if (isatty(STDERR_FILENO))
        note("%s: %.0f parameters ...", v->p.name, v->stored);
    double found = fitted ? fitted_count(v) : measured_count(v, &r);
    add_row(
        sheet, v->p.name,
        (double[]){stored, found, stored - found, r.found.last, r.found.next});
    real_free(&r);
    return found >= 0;
}

/* What each table shows besides. */
static const char *const explained[2] = {
    " forward, backward: FLOPs a token; cache: numbers a decoder keeps of a "
    "token; activations: numbers a training step keeps of one.",
    " real: the rank of d outputs / d parameters, in double, of each layer or, "
    "where layers share what they compute, of all; gauge: the others, which "
    "change nothing; smallest, next: the singular values between which the "
    "rank is read, as shares of the largest."};

/* Exits where none of the variants uses a shape option that was given. */
static void
check_used(const Request *r, const Values *variants)
{
    const char **uses = allocate((size_t)variants->count, sizeof *uses);
    for (int i = 0; i < variants->count; i++)
        uses[i] = variant_uses(plugin_open(variants->text[i]).variant);
    request_used(r, uses, variants->count);
    free(uses);
}

/* Adds what was asked of a variant; false where that cannot be told. One that
   nobody named is left out where it cannot have the shape. */
static bool
add_variant(Sheet *sheet, const char *word, const Config *c, const Options *o,
            bool asked, double keeping)
{
    bool told = true;
    Facts f = {.ok = true};
    if (!asked)
        f = describe(word, c, TRIED);
    if (!f.ok) {
        note("%s is left out: %s", f.name, f.why);
        return false;
    }
    Counted v = counted_of(word, *c);
    if (o->real)
        told = add_real(sheet, &v, *o->real);
    else
        add_costs(sheet, &v, c->length, keeping);
    free(v.w.list);
    return told;
}

int
command_count(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Values *given = given_to(&o.request, "variant");
    const struct Preset *preset = o.preset ? preset_named(o.preset) : NULL;
    int status = 0, table = o.real != NULL;
    Config c = shape_of(&o, preset ? preset->settings : "");
    Sheet sheet = sheet_of(of_table[table], 6);
    if (preset && !given->count)
        values_add(given, copy_text(preset->variant));
    if (o.real && !given->count)
        usage("--real takes minutes for all variants: name some with -v");
    if (o.real && sizeof(real) == 4)
        return run_in_double(argc, argv, "it measures in double");
    if (o.real)
        thread_count = o.cores < MOST_THREADS ? o.cores : MOST_THREADS;
    bool asked = given->count;
    if (asked)
        check_used(&o.request, given);
    else
        *given = plugin_list();
    for (int i = 0; i < given->count; i++)
        status |= !add_variant(&sheet, given->text[i], &c, &o, asked,
                               preset ? preset->keeping : 1);
    sheet_note(&sheet, "parameters",
               format_text("%d layer%s of d-model %d, heads %d, %d tokens; no "
                           "embedding, MLP or norm.%s",
                           c.layers, c.layers > 1 ? "s" : "", c.d_model,
                           c.heads, c.length, explained[table]));
    sheet_print(&sheet, layout_of(&o));
    if (preset)
        note("%s: %s", preset->name, preset->source);
    request_free(&o.request);
    return status;
}
