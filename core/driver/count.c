/* count.c - qkv count: the costs of variants at any shape, without training. */
#include <math.h>
#include <string.h>

#include "algebra/cost.h"
#include "algebra/formula.h"
#include "algebra/real_parameters.h"
#include "algebra/whole.h"
#include "base/tsv.h"
#include "config/find_plugin.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "heart/threads.h"
#include "models/published.h"
#include "models/published_whole.h"
#include "page/table.h"
#include "run/plugin_process.h"
#include "run/run.h"
#include "training/build_model.h"
#include "training/positions.h"

/* The columns of the three tables. Without --real: the costs of all layers.
   With it: the real parameters, and the pivots before and after the gap that
   decides how many there are. With --whole: those of the whole model, measured
   and by the formula, and the formula's parts. */
enum { COSTS, REAL, WHOLE, TABLE_KINDS, MOST_COLS = 10 };
/* clang-format off */
static const Column of_table[TABLE_KINDS][MOST_COLS] = {
    {{"variant", .words = true}, {.name = "parameters"}, {.name = "forward"}, {.name = "backward"}, {.name = "cache"}, {.name = "activations"}},
    {{"variant", .words = true}, {.name = "parameters"}, {.name = "real"}, {.name = "gauge"}, {"smallest", .format = "%.0e"}, {"next", .format = "%.0e"}},
    {{"variant", .words = true}, {"parameters", .title = "stored"}, {.name = "real"}, {.name = "formula"}, {.name = "heads"}, {.name = "norms"}, {.name = "mean"}, {.name = "basis"}, {.name = "logits"}, {"positions", .title = "moved"}},
};
/* clang-format on */

/* The end of each table's note, which explains its columns. */
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
    "stream), logits (softmax ignores a constant), and those that may be moved "
    "to positions (from the embedding); or, if that is less, as many as any "
    "model with this unembedding has."};

typedef struct Real {
    double number; /* how many parameters are real; -1 if that is not known */
    Rank gap;      /* the gap from which it was read, if it was measured */
    char *note;    /* about the formula, if it was computed; or NULL */
} Real;

/* Counts the real parameters: measures them or, if they are too many, takes
   them from a formula. */
static Real
real_of(const Plugin *p, Attention a, const Cost *cost)
{
    int together = cost->recalls ? a.layers : 1;
    double used = cost->parameters;
    if (used / a.layers * together <= MOST_MEASURED) {
        RealCount r = real_count(p->variant, a, ANY_TOKENS);
        return (Real){r.real, r.found, NULL};
    }
    Formula f = formula_of(p->variant, a, used);
    Real by_formula = {-1, {.last = NAN, .next = NAN}, NULL};
    if (f.holds) {
        by_formula.number = used - f.gauge;
        by_formula.note =
            format_text("gauge is %s%s, by a formula fitted to %d small "
                        "shapes, checked on %d others",
                        f.text, a.layers > together ? " in each layer" : "",
                        f.fitted, f.checked);
    }
    return by_formula;
}

/* Adds a row with the stored and the real parameters, and notes how the latter
   were found, or that they were not. */
static void
add_row(Sheet *sheet, const char *name, double used, Real r)
{
    double real = r.number < 0 ? NAN : r.number;
    if (r.note)
        note("%s: %s", name, r.note);
    if (isnan(real))
        note("%s: its real parameters are not known: no formula fits its small "
             "shapes, or no gap separates its pivots from 0",
             name);
    sheet_row(sheet, cell_words(name), cell_number(used), cell_number(real),
              cell_number(used - real), cell_number(r.gap.last),
              cell_number(r.gap.next));
}

/* Adds a row. If no mask was chosen and a causal one changes the number, adds a
   row without a mask and one with it. */
static void
add_real(Sheet *sheet, const Plugin *p, Attention a, const Cost *cost,
         bool chosen)
{
    Real one = real_of(p, a, cost), causal = one;
    if (!chosen && !a.causal) {
        a.causal = 1;
        causal = real_of(p, a, cost);
    }
    if (one.number == causal.number) {
        add_row(sheet, p->name, cost->parameters, one);
        return;
    }
    add_row(sheet, format_text("%s, no mask", p->name), cost->parameters, one);
    add_row(sheet, format_text("%s, causal", p->name), cost->parameters,
            causal);
}

/* A variant, and the settings at which its costs are wanted. */
typedef struct Wanted {
    Plugin plugin;
    Config config;
    bool chosen; /* was the mask chosen, by an option or by a run? */
} Wanted;

/* The description of the attention that the variant gets. */
static Attention
attention_wanted(const Wanted *w)
{
    Config c = w->config;
    if (!w->chosen && w->plugin.variant->calls == CAUSAL_ONLY)
        c.mask = MASK_CAUSAL;
    config_resolve_for(&c, &w->plugin);
    return positioned_attention(&c);
}

/* Adds the row of a whole model, a decoder unless --mask says otherwise. Notes
   if it was not measured, and if the formula is wrong. */
static void
add_whole(Sheet *sheet, const Wanted *w)
{
    Config c = w->config;
    if (!w->chosen)
        c.mask = MASK_CAUSAL;
    config_resolve_for(&c, &w->plugin);
    Whole found = whole_count(&c, plain_sizes(&c), w->plugin.variant);
    const double *part = found.part;
    const char *name = w->plugin.name;
    if (found.stored > MOST_MEASURED)
        usage("%s: --whole measures at most %d parameters, and this model has "
              "%.0f: give a smaller --d-model, or fewer --layers or --symbols",
              name, MOST_MEASURED, found.stored);
    if (isnan(found.real))
        note("%s: its rank is not known: no gap shows it", name);
    else if (isnan(found.formula))
        note("%s: the formula is not known: no gap shows the rank of attention",
             name);
    else if (found.real != found.formula)
        note("%s: the formula is off by %+.0f: it supposes more --symbols than "
             "--d-model, and a variant that reads and writes tokens only by "
             "matrices without ties",
             name, found.formula - found.real);
    sheet_row(sheet, cell_words(name), cell_number(found.stored),
              cell_number(found.real), cell_number(found.formula),
              cell_number(part[HEADS]), cell_number(part[NORMS]),
              cell_number(part[MEAN]), cell_number(part[BASIS]),
              cell_number(part[LOGITS]), cell_number(part[POSITIONS]));
}

static void
find_cost(const void *wanted, void *cost)
{
    const Wanted *w = wanted;
    *(Cost *)cost =
        cost_of(w->plugin.variant, attention_wanted(w), w->config.length, 0);
}

/* Computes the costs of a variant. A variant that cannot have this shape ends
   its process, so this runs in a child, and the other variants still get their
   rows. Returns 0, or the status to exit with. */
static int
cost_wanted(const Wanted *w, Cost *cost)
{
    Ended e =
        in_child(find_cost, w, cost, sizeof *cost, machine_memory(), false);
    if (!e.answered)
        note("%s: left out of the table: %s", w->plugin.path, e.why);
    return e.status;
}

/* Adds a variant's row to the table of costs or of real parameters, with notes
   about costs that are not known. */
static void
add_variant(Sheet *sheet, const Wanted *w, Cost cost, const Options *o)
{
    const Plugin p = w->plugin;
    if (isnan(cost.forward))
        note("%s: its FLOPs are not known, because one of its own operators "
             "does not set c->flops; set it there (<qkv/operator.h>)",
             p.name);
    if (cost.state > 0)
        note("%s: a decoder could keep a state of %.0f numbers, for any number "
             "of tokens, instead of a cache; qkv's decoder keeps the cache",
             p.name, cost.state);
    if (o->whole)
        add_whole(sheet, w);
    else if (o->real)
        add_real(sheet, &p, attention_wanted(w), &cost, w->chosen);
    else
        sheet_row(sheet, cell_words(p.name), cell_number(cost.parameters),
                  cell_number(cost.forward), cell_number(cost.backward),
                  cell_number(cost.cache * cost.seen),
                  cell_number(round(cost.activations)));
}

/* The note below the table: the widths that any of these variants uses, given
   or by default, and what the columns of this kind of table are. */
static char *
caption(Config c, const char *uses, int table)
{
    char *shape = "";
    config_resolve(&c, uses);
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

/* The columns of published models. */
static Column of_models[] = {
    {"model", .words = true},
    {"parameters", .format = "%.0f"},
    {"real", .format = "%.0f"},
    {"gauge", .format = "%.0f"},
    {"forward", .format = "%.0f"},
    {"cache_bytes", .title = "cache", .format = "%.0f"},
    {"state_bytes", .title = "state", .format = "%.0f", .readers = PEOPLE},
    {"cache_without_windows", .title = "unwindowed", .format = "%.0f"},
    {"what", .words = true, .readers = PROGRAMS},
    {"source", .words = true, .readers = PROGRAMS}};
enum { STATE = 6, MODEL_COLUMNS = sizeof of_models / sizeof *of_models };

/* Says how many layers have no softmax, if any. */
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

/* Adds the row of a model: of a config.json as text or, if that is NULL, of the
   file `name`. Returns its attention in words. */
static char *
add_model(Sheet *sheet, const char *name, char *config, const char *part,
          const char *source, int length)
{
    enum { BYTES = 2 }; /* of a number in a cache */
    Published p = published_read(name, config, part);
    Account a = published_account(&p, length);
    const Published *last = &p.each[p.layers - 1];
    char *what =
        format_text("%s kdim=%d vdim=%d; has: %s; biases: %s; layers "
                    "see %.0f tokens, the last %.0f with d-k=%d%s",
                    published_settings(&p), p.kdim, p.vdim, p.has, p.biases,
                    fmin(p.window, length), fmin(last->window, length),
                    last->d_k, without_softmax(&p));
    if (a.state > 0)
        of_models[STATE].readers = EVERYBODY;
    sheet_row(sheet, cell_words(name), cell_number(a.stored),
              cell_number(a.stored - a.gauge), cell_number(a.gauge),
              cell_number(a.flops), cell_number(BYTES * a.cache),
              cell_number(a.state > 0 ? BYTES * a.state : NAN),
              cell_number(BYTES * a.unwindowed), cell_words(what),
              cell_words(source));
    return what;
}

/* Prints a row for each published model, or for the one that --preset or
   --config names. */
static void
count_models(const Options *o)
{
    enum { NAME, SOURCE, CONFIG }; /* columns of published.tsv */
    Config c = {.length = 32768};
    Sheet sheet = {of_models, .cols = MODEL_COLUMNS, .label = "models",
                   .chosen = o->columns};
    Table known = {0};
    Values names = {0};
    char *what = "";
    request_apply(&o->request, &c);
    table_add(&known, within(beside_program("models"), "published.tsv"));
    if (o->config)
        what = add_model(&sheet, o->config, NULL, o->part, "", c.length);
    for (int i = 0; i < known.rows; i++) {
        const char *name = table_cell(&known, i, NAME);
        values_add(&names, copy_text(name));
        if (!o->config && (!o->preset || !strcmp(o->preset, name)))
            what = add_model(&sheet, name,
                             copy_text(table_cell(&known, i, CONFIG)), NULL,
                             table_cell(&known, i, SOURCE), c.length);
    }
    if (!sheet.count)
        usage("unknown model \"%.64s\":%s `qkv list --models` lists them",
              o->preset, suggestion(o->preset, &names));
    sheet.note = format_text(
        "%s%sThe attention of all layers, for one token among %d. "
        "gauge: parameters that change nothing, by arithmetic; "
        "forward: FLOPs; cache: bytes that a decoder keeps of all "
        "tokens, 2 per number; unwindowed: without windows.%s",
        o->models ? "" : what, o->models ? "" : ". ", c.length,
        of_models[STATE].readers == PEOPLE
            ? ""
            : " state: bytes that it keeps for any number of tokens.");
    sheet_print(&sheet, layout_of(o));
}

/* Prints what of a whole published model is free, by the formula. */
static void
count_whole_published(const Options *o)
{
    static const Column columns[] = {
        {"model", .words = true},      {"parameters", .format = "%.0f"},
        {"formula", .format = "%.0f"}, {"heads", .format = "%.0f"},
        {"norms", .format = "%.0f"},   {"mlp", .format = "%.0f"},
        {"basis", .format = "%.0f"},   {"logits", .format = "%.0f"}};
    PublishedWhole w = published_whole(o->config);
    Sheet sheet = {columns, .cols = sizeof columns / sizeof *columns,
                   .label = "whole", .chosen = o->columns};
    sheet.note =
        "formula: the parameters that are real by a formula, not measured: "
        "those stored less those of heads (within attention), norms (moved "
        "into the next maps), mlp (a factor of each hidden unit), basis (of "
        "the residual stream) and logits (softmax ignores a constant).";
    check_columns(&sheet);
    sheet_row(
        &sheet, cell_words(o->config), cell_number(w.stored),
        cell_number(w.stored - w.heads - w.norms - w.mlp - w.basis - w.logits),
        cell_number(w.heads), cell_number(w.norms), cell_number(w.mlp),
        cell_number(w.basis), cell_number(w.logits));
    sheet_print(&sheet, layout_of(o));
}

/* Adds a row for each variant that can have the shape, and appends the settings
   that these variants use to *uses. Without names, the only variant is the
   config's. Returns the exit status. */
static int
add_variants(Sheet *sheet, const Values *names, Config c, const Options *o,
             char **uses)
{
    int status = 0;
    char *of_all = "";
    Wanted w = {.config = c};
    w.chosen = o->rest_count || given_to(&o->request, "mask")->count;
    int count = names->count ? names->count : 1;
    for (int i = 0; i < count; i++) {
        w.plugin = names->count ? plugin_open(names->text[i]) : plugin_of(&c);
        const char *own = variant_uses(w.plugin.variant);
        of_all = format_text("%s %s", of_all, own);
        Cost cost;
        int refused = cost_wanted(&w, &cost);
        if (refused) {
            status = count > 1 ? 1 : refused;
            continue;
        }
        *uses = format_text("%s %s", *uses, own);
        add_variant(sheet, &w, cost, o);
    }
    request_used(&o->request, SHAPE_OPTIONS, of_all);
    return status;
}

int
command_count(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Values *given = given_to(&o.request, "variant");
    if (o.preset || o.config || o.models) {
        request_used(&o.request, NULL, o.whole ? "" : "length");
        if (o.whole)
            count_whole_published(&o);
        else
            count_models(&o);
        return 0;
    }
    char *uses = "";
    Config c = o.rest_count ? run_read(o.rest[0]).config : config_start();
    request_apply(&o.request, &c);
    int table = COSTS;
    if (o.whole || o.real)
        table = o.whole ? WHOLE : REAL;
    Sheet sheet = {of_table[table], .cols = table == WHOLE ? 10 : 6,
                   .label = "parameters", .chosen = o.columns};
    check_columns(&sheet);
    if (!given->count && !o.rest_count)
        *given = values_split(default_variants);
    if (table != COSTS && sizeof(real) == 4)
        return run_in_double(argc, argv);
    if (table != COSTS)
        thread_count = o.cores < MOST_THREADS ? o.cores : MOST_THREADS;
    int status = add_variants(&sheet, given, c, &o, &uses);
    if (sheet.count) {
        sheet.note = caption(c, uses, table);
        sheet_print(&sheet, layout_of(&o));
    }
    return status;
}
