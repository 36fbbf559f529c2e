/* count.c - qkv count: the costs of variants at any shape, without training.
   With --real it counts their real parameters, with --whole the real parameters
   of a whole model around them, and with --preset or --config the costs of
   published models. `qkv list --models` calls it, too.

   As many parameters are real as there are independent ways to change what is
   computed (algebra/real_parameters.h); the rest is gauge. That number is the
   rank of a matrix. An elimination finds it: pivots that count are large, the
   others are close to 0, and a wide gap between them shows that the rank is
   right. */
#include <math.h>
#include <string.h>

#include "algebra/cost.h"
#include "algebra/formula.h"
#include "algebra/real_parameters.h"
#include "algebra/whole.h"
#include "driver/compare.h"
#include "fast/threads.h"
#include "models/published.h"
#include "models/published_whole.h"
#include "page/table.h"
#include "run/plugin_process.h"
#include "run/real_count.h"
#include "training/rope_and_alibi.h"

/* The columns of the three tables of variants. COSTS has the costs of all
   layers. REAL has the real parameters, and the pivots on either side of the
   gap. WHOLE has the real parameters of a whole model, measured and by a
   formula, and the parts that the formula subtracts (algebra/whole.h). */
enum { COSTS, REAL, WHOLE, TABLE_KINDS, MOST_COLUMNS = 10 };
static const int columns_in[TABLE_KINDS] = {6, 6, MOST_COLUMNS};
/* clang-format off */
static const Column table_columns[TABLE_KINDS][MOST_COLUMNS] = {
    {{"variant", .words = true}, {.name = "parameters"}, {.name = "forward"}, {.name = "backward"}, {.name = "cache"}, {.name = "activations"}},
    {{"variant", .words = true}, {.name = "parameters"}, {.name = "real"}, {.name = "gauge"}, {"smallest", .format = "%.0e"}, {"next", .format = "%.0e"}},
    {{"variant", .words = true}, {"parameters", .title = "stored"}, {.name = "real"}, {.name = "formula"}, {.name = "heads"}, {.name = "norms"}, {.name = "mean"}, {.name = "basis"}, {.name = "logits"}, {"positions", .title = "moved"}},
};
/* clang-format on */

/* The end of each table's note; it explains the columns. */
static const char *const explained[TABLE_KINDS] = {
    " forward, backward: FLOPs per token, without a mask; cache: numbers that "
    "a decoder keeps per token, on average; activations: numbers that a "
    "training step keeps per token.",
    " real: the rank of d outputs / d parameters, in double, of each layer or, "
    "if layers share results, of all together; gauge: the other parameters, "
    "which change nothing; smallest, next: the pivots of the elimination on "
    "either side of that rank, relative to the largest. A causal mask gives "
    "the same, unless --mask chose one or there are two rows.",
    " real: the rank of d distributions / d parameters, in double; formula: "
    "the parameters less those of heads (within attention), norms (moved into "
    "the next maps), mean (LayerNorm subtracts it), basis (of the residual "
    "stream), logits (softmax ignores a constant), and those that can be moved "
    "to positions (from the embedding); or, if that is less, as many as any "
    "model with this unembedding can have."};

/* How many parameters of a variant are real, and how they were counted. */
typedef struct Real {
    double number; /* how many, or UNKNOWN_RANK */
    Rank gap;      /* its `last` and `next` are the pivots on either side of the
                      gap; NaN if the number was not measured */
    char *note;    /* the formula in words; NULL if none gave the number */
} Real;

/* Counts the real parameters of all layers of p at shape a, whose costs are
   `cost`. They are measured (real_count) or, if more than MOST_MEASURED
   parameters would be measured at once, given by a formula, if one holds. Both
   treat layers one by one, unless a layer recalls what an earlier one
   remembered: then they treat all together. */
static Real
real_of(const Plugin *p, Attention a, const Cost *cost)
{
    double stored = cost->parameters; /* in all layers, as is the gauge below */
    bool one_by_one = !cost->recalls;
    double measured_at_once = one_by_one ? stored / a.layers : stored;
    if (measured_at_once <= MOST_MEASURED) {
        RealCount r = real_count(p->variant, a, ANY_TOKENS);
        return (Real){.number = r.real, .gap = r.found};
    }
    Formula f = formula_of(p->variant, a, stored);
    Real by_formula = {.number = UNKNOWN_RANK,
                       .gap = {.last = NAN, .next = NAN}};
    if (f.holds) {
        by_formula.number = stored - f.gauge;
        by_formula.note = format_text(
            "gauge is %s%s, by a formula fitted to %d small "
            "shapes, checked on %d others",
            f.text, one_by_one && a.layers > 1 ? " in each layer" : "",
            f.fitted, f.checked);
    }
    return by_formula;
}

/* Adds a row to the table REAL. If the number is from a formula, prints the
   formula as a note; if the number is not known, a note says why. */
static void
add_real_row(Sheet *sheet, const char *name, double stored, Real r)
{
    bool is_known = r.number != UNKNOWN_RANK;
    double real = is_known ? r.number : NAN;
    if (r.note)
        note("%s: %s", name, r.note);
    if (!is_known)
        note("%s: its real parameters are not known: no gap separates its "
             "pivots from 0 or, above %d parameters, no formula holds",
             name, MOST_MEASURED);
    sheet_row(sheet, cell(name), cell(stored), cell(real), cell(stored - real),
              cell(r.gap.last), cell(r.gap.next));
}

/* A variant to be counted, and the settings at which it is counted. */
typedef struct Wanted {
    Plugin plugin;
    Config config;
    bool mask_chosen; /* whether an option or a run chose the mask */
} Wanted;

/* The shape of attention at which the variant is counted. If neither an option
   nor a run chose the mask, only a variant that needs a causal mask has one. */
static Attention
attention_wanted(const Wanted *w)
{
    Config c = w->config;
    if (!w->mask_chosen && w->plugin.variant->calls == CAUSAL_ONLY)
        c.mask = MASK_CAUSAL;
    config_resolve_for(&c, &w->plugin);
    return positioned_attention(&c);
}

/* Counts the real parameters of a variant, and adds a row. If the mask was not
   chosen, counts them without and with a causal mask, and adds two rows if the
   numbers differ. */
static void
add_real(Sheet *sheet, const Wanted *w, const Cost *cost)
{
    const char *name = w->plugin.name;
    double stored = cost->parameters;
    Attention a = attention_wanted(w);
    Real as_given = real_of(&w->plugin, a, cost), causal = as_given;
    if (!w->mask_chosen && !a.causal) {
        a.causal = true;
        causal = real_of(&w->plugin, a, cost);
    }
    if (as_given.number == causal.number) {
        add_real_row(sheet, name, stored, as_given);
        return;
    }
    add_real_row(sheet, format_text("%s, no mask", name), stored, as_given);
    add_real_row(sheet, format_text("%s, causal", name), stored, causal);
}

/* Prints a note if the real parameters of a whole model were not found by
   measuring or by the formula, or if the two numbers differ. */
static void
note_disagreement(const char *name, const Whole *found)
{
    if (isnan(found->real))
        note("%s: its rank is not known, because no gap separates its pivots "
             "from rounding",
             name);
    else if (isnan(found->formula))
        note("%s: the formula is not known, because the real parameters of its "
             "attention could not be counted",
             name);
    else if (found->real != found->formula)
        note("%s: the formula is off by %+.0f: it assumes more --symbols than "
             "--d-model, and a variant that reads and writes tokens only by "
             "separate matrices",
             name, found->formula - found->real);
}

/* Counts the parameters of a whole model, and adds its row. The model is a
   decoder, with a causal mask, unless the mask was chosen. */
static void
add_whole(Sheet *sheet, const Wanted *w)
{
    Config c = w->config;
    if (!w->mask_chosen)
        c.mask = MASK_CAUSAL;
    config_resolve_for(&c, &w->plugin);
    Whole found = whole_count(&c, plain_sizes(&c), w->plugin.variant);
    const double *part = found.part;
    const char *name = w->plugin.name;
    if (found.stored > MOST_MEASURED) /* whole_count measured nothing */
        usage("%s: --whole measures at most %d parameters, and this model has "
              "%.0f: give a smaller --d-model, or fewer --layers or --symbols",
              name, MOST_MEASURED, found.stored);
    note_disagreement(name, &found);
    sheet_row(sheet, cell(name), cell(found.stored), cell(found.real),
              cell(found.formula), cell(part[HEADS]), cell(part[NORMS]),
              cell(part[MEAN]), cell(part[BASIS]), cell(part[LOGITS]),
              cell(part[POSITIONS]));
}

/* The work of a child process: `wanted` is a Wanted, and *cost becomes its
   Cost. */
static void
find_cost(const void *wanted, void *cost)
{
    const Wanted *w = wanted;
    *(Cost *)cost = cost_of(w->plugin.variant, attention_wanted(w),
                            w->config.length, Y_IS_X);
}

/* Computes the costs of a variant in a child process: a variant that cannot
   have this shape ends only that process, and the others still get their rows.
   Returns 0, or the status to exit with. */
static int
cost_in_child(const Wanted *w, Cost *cost)
{
    Ended e = in_child(find_cost, w, cost, sizeof *cost, machine_memory(),
                       PRINT_OUTPUT);
    if (!e.answered)
        note("%s: left out of the table: %s", w->plugin.path, e.why);
    return e.status;
}

/* Adds a variant's row to the table that the options choose: WHOLE, REAL or
   COSTS. Prints a note if its FLOPs are not known, or if a state of fixed size
   could replace the cache. */
static void
add_variant(Sheet *sheet, const Wanted *w, Cost cost, const Options *o)
{
    const char *name = w->plugin.name;
    if (isnan(cost.forward))
        note("%s: its FLOPs are not known, because one of its own operators "
             "does not set c->flops; set it there (<qkv/operator.h>)",
             name);
    if (cost.state > 0)
        note("%s: instead of a cache, a decoder could keep a state of %.0f "
             "numbers for any number of tokens; qkv's decoder keeps a cache",
             name, cost.state);
    if (o->whole)
        add_whole(sheet, w);
    else if (o->real)
        add_real(sheet, w, &cost);
    else
        sheet_row(sheet, cell(name), cell(cost.parameters), cell(cost.forward),
                  cell(cost.backward), cell(cost.cache),
                  cell(round(cost.activations)));
}

/* The note below a table (COSTS, REAL or WHOLE): the shape, with the widths and
   settings that `uses` lists, and what the columns mean. */
static char *
caption(Config c, const char *uses, int table)
{
    char *shape = "";         /* "heads 4, d-k 8, " */
    config_resolve(&c, uses); /* unused settings become 0 */
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = &settings[i];
        if (s->role == OF_SHAPE && !setting_unused(s, &c))
            shape =
                format_text("%s%s %s, ", shape, s->name, setting_text(s, &c));
    }
    char *around = "no embedding, MLP or norm";
    if (table == WHOLE)
        around = format_text("%d symbols, norm %s, mlp %d", c.symbols,
                             setting_text(setting_named("norm"), &c), c.mlp);
    return format_text("%d layer%s of d-model %d, %s%d tokens; %s.%s", c.layers,
                       c.layers > 1 ? "s" : "", c.d_model, shape, c.length,
                       around, explained[table]);
}

enum { CACHE_BYTES_PER_NUMBER = 2 }; /* 16-bit numbers are usual */

/* The columns of published models. */
/* clang-format off */
static const Column model_columns[] = {
    {"model", .words = true},
    {"parameters", .format = "%.0f"}, {"real", .format = "%.0f"}, {"gauge", .format = "%.0f"},
    {"forward", .format = "%.0f"},
    {"cache_bytes", .title = "cache", .format = "%.0f"}, {"state_bytes", .title = "state", .format = "%.0f"}, {"cache_without_windows", .title = "unwindowed", .format = "%.0f"},
    {"what", .words = true, .readers = PROGRAMS}, {"source", .words = true, .readers = PROGRAMS},
};
/* clang-format on */

/* Says how many layers have no softmax; "" if all have one. */
static char *
without_softmax(const Published *p)
{
    int linear = 0;
    for (int i = 0; i < p->layers; i++)
        linear += p->each[i].linear;
    if (!linear)
        return "";
    return format_text("; %d of %d layers have no softmax: only their state is "
                       "counted, none of their parameters",
                       linear, p->layers);
}

/* Adds the row of a published model, for a sequence of `length` tokens. Returns
   the model's attention in words. */
static char *
add_model(Sheet *sheet, const char *name, const Published *p,
          const char *source, int length)
{
    const double bytes = CACHE_BYTES_PER_NUMBER;
    Account a = published_account(p, length);
    const Published *last = &p->each[p->layers - 1];
    char *what =
        format_text("%s kdim=%d vdim=%d; has: %s; biases: %s; layers "
                    "see %.0f tokens, the last %.0f with d-k=%d%s",
                    published_settings(p), p->kdim, p->vdim, p->has, p->biases,
                    fmin(p->window, length), fmin(last->window, length),
                    last->d_k, without_softmax(p));
    sheet_row(sheet, cell(name), cell(a.stored), cell(a.stored - a.gauge),
              cell(a.gauge), cell(a.flops), cell(bytes * a.cache),
              cell(a.state > 0 ? bytes * a.state : NAN),
              cell(bytes * a.unwindowed), cell(what), cell(source));
    return what;
}

/* Adds the rows of published.tsv: of every model or, if `preset` is not NULL,
   only of the one with that name; exits (2) if there is none. Returns the
   attention of the last model in words. */
static char *
add_presets(Sheet *sheet, const char *preset, int length)
{
    enum { NAME, SOURCE, CONFIG }; /* columns of published.tsv */
    const char *no_part = NULL;    /* each is counted as a whole */
    Table known = {0};
    Values names = {0};
    char *text = NULL;
    table_add(&known, within(beside_program("models"), "published.tsv"));
    for (int i = 0; i < known.rows; i++) {
        const char *name = table_cell(&known, i, NAME);
        values_add(&names, copy_text(name));
        if (!preset || !strcmp(preset, name)) {
            /* published_parse overwrites the text. */
            char *config = copy_text(table_cell(&known, i, CONFIG));
            Published p = published_parse(name, config, no_part);
            text = add_model(sheet, name, &p, table_cell(&known, i, SOURCE),
                             length);
        }
    }
    if (!text) /* a preset was named, and is unknown */
        usage("unknown model \"%.64s\":%s `qkv list --models` lists the known "
              "models",
              preset, suggestion(preset, &names));
    return text;
}

/* Prints a row for the published model that --preset or --config names, or with
   --models for each model of published.tsv. */
static void
count_models(const Options *o)
{
    enum { DEFAULT_LENGTH = 32768 }; /* tokens */
    Config c = {.length = DEFAULT_LENGTH};
    Sheet sheet = sheet_of(model_columns, "models", o->columns);
    const char *text; /* the attention of the last model, in words */
    refuse_unused(&o->request, ALL_SETTINGS, "length");
    request_apply(&o->request, &c);
    if (o->config) {
        Published p = published_parse(
            o->config, read_text(o->config, "configuration"), o->part);
        text = add_model(&sheet, o->config, &p, "", c.length);
    } else
        text = add_presets(&sheet, o->preset, c.length);
    text = o->models ? "" : format_text("%s. ", text); /* of a single model */
    sheet.note = format_text(
        "%sThe attention of all layers, for one token among %d. gauge: "
        "parameters that change nothing, by arithmetic; forward: FLOPs; cache: "
        "bytes that a decoder keeps of all tokens, %d per number; unwindowed: "
        "without windows; state, of layers without softmax: bytes that it "
        "keeps for any number of tokens.",
        text, c.length, CACHE_BYTES_PER_NUMBER);
    sheet_print(&sheet, layout_of(o));
}

/* Prints how many parameters of a whole published model are real, and the parts
   of the gauge, which are subtracted from the stored parameters
   (models/published_whole.h). */
static void
count_whole_published(const Options *o)
{
    static const Column columns[] = {
        {"model", .words = true},      {"parameters", .format = "%.0f"},
        {"formula", .format = "%.0f"}, {"heads", .format = "%.0f"},
        {"norms", .format = "%.0f"},   {"mlp", .format = "%.0f"},
        {"basis", .format = "%.0f"},   {"logits", .format = "%.0f"}};
    refuse_unused(&o->request, ALL_SETTINGS, "");
    PublishedWhole w = published_whole(o->config);
    Sheet sheet = sheet_of(columns, "whole", o->columns);
    sheet.note =
        "formula: the real parameters by a formula, not measured: those stored "
        "less those of heads (within attention), norms (moved into the next "
        "maps), mlp (a factor of each hidden unit), basis (of the residual "
        "stream) and logits (softmax ignores a constant).";
    double gauge = w.heads + w.norms + w.mlp + w.basis + w.logits;
    sheet_row(&sheet, cell(o->config), cell(w.stored), cell(w.stored - gauge),
              cell(w.heads), cell(w.norms), cell(w.mlp), cell(w.basis),
              cell(w.logits));
    sheet_print(&sheet, layout_of(o));
}

/* Adds a row for each named variant that can have the shape of c; if there are
   no names, for the variant of c, which is that of a run. Appends the names of
   the settings that variants with a row use to *uses_of_rows. Exits (2) if an
   option was given that no variant uses, with or without a row. Returns the
   exit status. */
static int
add_variants(Sheet *sheet, const Values *names, Config c, const Options *o,
             char **uses_of_rows)
{
    int status = 0;
    char *uses_of_all = "";
    bool mask_given = given_to(&o->request, "mask")->count > 0;
    Wanted w = {.config = c, .mask_chosen = mask_given || o->word_count > 0};
    int count = names->count ? names->count : 1;
    for (int i = 0; i < count; i++) {
        w.plugin = names->count ? plugin_open(names->text[i]) : plugin_of(&c);
        const char *own = variant_uses(w.plugin.variant);
        uses_of_all = format_text("%s %s", uses_of_all, own);
        Cost cost;
        int failure = cost_in_child(&w, &cost); /* an exit status, or 0 */
        if (failure) /* of several variants, the others are still added */
            status = count > 1 ? 1 : failure;
        else {
            *uses_of_rows = format_text("%s %s", *uses_of_rows, own);
            add_variant(sheet, &w, cost, o);
        }
    }
    refuse_unused(&o->request, SHAPE_OPTIONS, uses_of_all);
    return status;
}

/* The settings of a run, or the defaults if `run` is NULL, changed by the
   options. Their `length` becomes the number of tokens of a sequence: in some
   tasks it counts pairs, each of which is several tokens. Exits (2) if the run
   cannot be counted; the defaults can. */
static Config
config_counted(const char *run, const Options *o)
{
    Config c = run ? run_read(run).config : config_start();
    if (!is_countable(&c))
        usage("%s: its model has an encoder, cross-attention or one-hot "
              "tokens, which count does not know; `qkv table` has the "
              "parameters, FLOPs and cache of its attention",
              run);
    request_apply(&o->request, &c);
    c.length = task_named(c.task)->task->sizes(&c).tokens;
    return c;
}

int
command_count(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Values *variants = given_to(&o.request, "variant");
    if (o.preset || o.config || o.models) { /* published models */
        if (o.whole)
            count_whole_published(&o);
        else
            count_models(&o);
        return 0;
    }
    int table = o.whole ? WHOLE : COSTS;
    if (o.real)
        table = REAL;
    /* Refuses wrong --columns before qkv-double is called. */
    Sheet sheet = sheet_new(table_columns[table], columns_in[table],
                            "parameters", o.columns);
    bool measures_ranks = table != COSTS; /* which needs double precision */
    if (measures_ranks && sizeof(real) == sizeof(float))
        return run_in_double(argc, argv);
    if (measures_ranks) /* this takes long */
        thread_count = o.cores < MOST_THREADS ? o.cores : MOST_THREADS;
    char *uses_of_rows = "";
    Config c = config_counted(o.word_count ? o.words[0] : NULL, &o);
    if (!variants->count && !o.word_count)
        *variants = values_split(default_variants);
    int status = add_variants(&sheet, variants, c, &o, &uses_of_rows);
    if (sheet.count) {
        sheet.note = caption(c, uses_of_rows, table);
        sheet_print(&sheet, layout_of(&o));
    }
    return status;
}
