/* equiv.c - qkv equiv: which variants are the same function?

   Asked of trained weights: a run's canonical form is handed to another variant
   to adopt, and what changes in the logits on fresh data is the answer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adopt.h"
#include "canonical.h"
#include "commands.h"
#include "compare.h"
#include "fail.h"
#include "model.h"
#include "print.h"
#include "train.h"
#include "words.h"

/* Largest difference of logits, relative to the largest logit where that is
   above 1. */
#define EXACT (sizeof(real) == 4 ? 1e-4 : 1e-10)

/* What became of one conversion. */
typedef struct Verdict {
    bool done;
    char why[160];        /* where it could not be done */
    double logits;        /* largest difference, relative */
    Misfit form;          /* of the block that lost most */
    double before, after; /* test accuracy */
} Verdict;

/* Block `block` of `to` becomes what that of `from` is, as nearly as can be;
   false with the reason where that cannot be asked. */
static bool
adopt_block(const Model *from, Model *to, int block, Verdict *v)
{
    Canonical c = model_form(from, block);
    Weights w = weights_declared(to->variant, &to->attention);
    real **values = model_attention(to, block);
    if (!c.m)
        snprintf(v->why, sizeof v->why, "no canonical form: %.120s", c.why);
    else if (!to->variant->adopt)
        snprintf(v->why, sizeof v->why, "it cannot adopt a canonical form");
    else if (!adopt(to->variant, &to->attention, &w, &c, values))
        snprintf(v->why, sizeof v->why, "%d heads do not fit into %d", c.heads,
                 to->attention.heads);
    else {
        Canonical now = model_form(to, block);
        Misfit f = now.m ? form_misfit(&now, &c) : (Misfit){.apart = INFINITY};
        if (f.apart >= v->form.apart)
            v->form = f;
        v->done = true;
        canonical_free(&now);
    }
    canonical_free(&c);
    free(values);
    weights_free(&w);
    return v->done;
}

/* A model of the variant and shape options of `shape`, with the same function
   as `from` or the nearest; what is not attention is copied. NULL, with v->why,
   where there is none. */
static Model *
converted(const Model *from, const Config *shape, const char *run, Verdict *v)
{
    Plugin p = plugin_open(shape->variant);
    Config c = from->config;
    snprintf(c.variant, sizeof c.variant, "%s", shape->variant);
    snprintf(c.from, sizeof c.from, "%s", run);
    c.plugin_hash = p.hash;
    c.heads = shape->heads ? shape->heads : 1;
    c.kv_heads = shape->kv_heads;
    c.d_k = shape->d_k;
    c.d_v = shape->d_v;
    c.latent = shape->latent;
    config_settle(&c, p.variant->shape);
    Model *to = model_new(&c, from->sizes, p.variant);
    for (int i = 0; i < to->count; i++)
        for (int k = 0; !to->weights[i].attention && k < from->count; k++)
            if (!strcmp(to->weights[i].name, from->weights[k].name))
                memcpy(to->weights[i].value, from->weights[k].value,
                       (size_t)to->weights[i].rows *
                           (size_t)to->weights[i].cols * sizeof(real));
    *v = (Verdict){0};
    for (int block = 0; block < c.layers; block++)
        if (!adopt_block(from, to, block, v)) {
            model_free(to);
            return NULL;
        }
    return to;
}

/* The logits of m on the first test batch; to be freed. */
static real *
logits_of(Model *m, const Source *s, size_t *count)
{
    Batch b = batch_new(s->sizes, m->config.batch);
    Random r = source_stream(s, TEST);
    source_draw(s, TEST, &r, 0, &b);
    Tape *t = tape_for(m, &b);
    Node *logits = model_forward(m, t, &b);
    *count = (size_t)logits->rows * (size_t)logits->cols;
    real *copy = allocate(*count, sizeof *copy);
    memcpy(copy, logits->value, *count * sizeof *copy);
    tape_free(t);
    batch_free(&b);
    return copy;
}

static void
evaluate_split(Model *m, const Source *s, Split split, double *loss,
               double *accuracy)
{
    Batch b = batch_new(s->sizes, m->config.batch);
    Tape *t = tape_for(m, &b);
    evaluate(m, s, split, t, &b, loss, accuracy);
    tape_free(t);
    batch_free(&b);
}

/* How the two differ on fresh data. */
static void
measure(Model *from, Model *to, const Source *s, Verdict *v)
{
    size_t count;
    double loss;
    real *a = logits_of(from, s, &count), *b = logits_of(to, s, &count);
    double apart = 0, largest = 1;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);
        apart = difference <= apart ? apart : difference; /* a NaN too */
        apart = isnan(difference) ? INFINITY : apart;
        largest = fmax(largest, fabs((double)a[i]));
    }
    v->logits = apart / largest;
    evaluate_split(from, s, TEST, &loss, &v->before);
    evaluate_split(to, s, TEST, &loss, &v->after);
    free(a);
    free(b);
}

static const char *
word_of(const Verdict *v)
{
    return !v->done ? "none" : v->logits <= EXACT ? "exact" : "nearest";
}

/* Writes the converted model as a run: of no steps of its own. */
static void
write_converted(const Options *o, Model *to, const Source *s)
{
    LogRow row = {to->config.steps, NAN, NAN, 0, 0};
    Result r = {
        .rows = &row, .count = 1, .steps = to->config.steps, .seconds = 1e-9};
    Levels l = source_levels(s);
    Config ordinary = ordinary_config(to->config.task, to->config.variant,
                                      to->variant->shape);
    char *name = run_name(&to->config, &ordinary);
    evaluate_split(to, s, VALIDATION, &row.validation_loss,
                   &row.validation_accuracy);
    evaluate_split(to, s, TEST, &r.test_loss, &r.test_accuracy);
    experiment_open(o->out);
    run_write(o->out, name, to, &r, &l, true, true);
    if (!o->quiet)
        note("the converted run is %s/%s", o->out, name);
    free(name);
}

static void
add_verdict(Sheet *sheet, const char *from, const char *to, const Verdict *v)
{
    sheet_add(sheet, "%s", from);
    sheet_add(sheet, "%s", to);
    sheet_add(sheet, "%s", word_of(v));
    if (v->done) {
        sheet_add(sheet, "%.1e", v->logits);
        sheet_add(sheet, "%.1e", v->form.apart);
        sheet_add(sheet, "%.3f", v->before);
        sheet_add(sheet, "%.3f", v->after);
    }
    for (int which = 0; v->done && which < 2; which++) {
        sheet_add(sheet, "%d->%d", v->form.rank[which], v->form.kept[which]);
        sheet_add(sheet, "%.2g", v->form.lost[which]);
    }
    for (int i = 0; !v->done && i < 8; i++)
        sheet_add(sheet, "-");
    sheet_add(sheet, "%s", v->why);
}

static Sheet
verdict_sheet(void)
{
    static const char *const names[] = {
        "from",  "to",     "is_it_the_same", "logits", "s_M_N",     "accuracy",
        "after", "rank_M", "lost_of_M",      "rank_N", "lost_of_N", "why_not"};
    Sheet sheet = {.cols = 12, .text = true};
    for (int i = 0; i < sheet.cols; i++)
        sheet_add(&sheet, "%s", names[i]);
    return sheet;
}

/* The shape options that the target takes: the run's, and those given. */
static Config
target_shape(const Options *o, const Run *r)
{
    static const char *const sizes[] = {"heads", "kv-heads", "d-k", "d-v",
                                        "latent"};
    Config c = r->config;
    snprintf(c.variant, sizeof c.variant, "%s", o->to);
    for (int i = 0; i < setting_count; i++) {
        bool size = false;
        for (int k = 0; k < 5; k++)
            size |= !strcmp(settings[i].name, sizes[k]);
        if (o->given[i].count && !size)
            usage("--%s: a converted run keeps it; only heads, kv-heads, d-k, "
                  "d-v and latent may differ",
                  settings[i].name);
        if (o->given[i].count)
            setting_set(&settings[i], &c, o->given[i].text[0]);
    }
    return c;
}

static void
tell(const char *from, const char *to, const Verdict *v)
{
    printf("%s into %s: %s; logits %.1e apart, accuracy %.3f -> %.3f\n"
           "worst head: M of rank %d -> %d, %.2g of it lost; N of rank %d -> "
           "%d, %.2g lost\n",
           from, to,
           v->logits <= EXACT ? "the same function"
                              : "another function, the nearest there is",
           v->logits, v->before, v->after, v->form.rank[0], v->form.kept[0],
           v->form.lost[0], v->form.rank[1], v->form.kept[1], v->form.lost[1]);
}

static int
convert_run(const Options *o)
{
    Run r = run_read(o->rest[0]);
    Config shape = target_shape(o, &r);
    Source s;
    Verdict v;
    Model *from = run_model(&r, &s), *to = converted(from, &shape, r.name, &v);
    char names[2][NAME_SIZE];
    plugin_name(from->config.variant, names[0]);
    plugin_name(o->to, names[1]);
    if (!to)
        fail("%s cannot become %s: %s", r.path, names[1], v.why);
    measure(from, to, &s, &v);
    write_converted(o, to, &s);
    if (wants_tsv(o->tsv)) {
        Sheet sheet = verdict_sheet();
        add_verdict(&sheet, names[0], names[1], &v);
        sheet_print(&sheet, true);
    } else
        tell(names[0], names[1], &v);
    model_free(from);
    model_free(to);
    source_close(&s);
    run_free(&r);
    return 0;
}

/* Every run into every variant: count x count verdicts, by row. */
static Verdict *
convert_all(const Run *runs, int count)
{
    Verdict *all = allocate((size_t)(count * count), sizeof *all);
    for (int i = 0; i < count; i++) {
        Source s;
        Model *from = run_model(&runs[i], &s);
        for (int k = 0; k < count; k++) {
            Verdict *v = &all[i * count + k];
            Model *to = converted(from, &runs[k].config, runs[i].name, v);
            if (to)
                measure(from, to, &s, v);
            model_free(to);
        }
        model_free(from);
        source_close(&s);
    }
    return all;
}

/* What the signs do not tell: of those that are not the same, what was lost. */
static void
print_lost(const Run *runs, int count, const Verdict *all)
{
    static const char *const names[] = {"trained", "into", "accuracy", "after",
                                        "rank M",  "lost", "rank N",   "lost"};
    char name[NAME_SIZE], other[NAME_SIZE];
    Sheet sheet = {.cols = 8};
    for (int i = 0; i < sheet.cols; i++)
        sheet_add(&sheet, "%s", names[i]);
    for (int i = 0; i < count * count; i++) {
        const Verdict *v = &all[i];
        if (!v->done || v->logits <= EXACT)
            continue;
        plugin_name(runs[i / count].config.variant, name);
        plugin_name(runs[i % count].config.variant, other);
        sheet_add(&sheet, "%.16s", name);
        sheet_add(&sheet, "%.16s", other);
        sheet_add(&sheet, "%.3f", v->before);
        sheet_add(&sheet, "%.3f", v->after);
        for (int which = 0; which < 2; which++) {
            sheet_add(&sheet, "%d->%d", v->form.rank[which],
                      v->form.kept[which]);
            sheet_add(&sheet, "%.2f", v->form.lost[which]);
        }
    }
    if (sheet.count > sheet.cols)
        sheet_print(&sheet, false);
}

/* A square of signs, and below it what they do not tell. */
static void
print_square(const Run *runs, int count, const Verdict *all)
{
    char name[NAME_SIZE];
    printf("%-18s", "trained  \\  into");
    for (int k = 0; k < count; k++)
        printf("%3d", k + 1);
    for (int i = 0; i < count; i++) {
        plugin_name(runs[i].config.variant, name);
        printf("\n%2d %-15.15s", i + 1, name);
        for (int k = 0; k < count; k++) {
            const Verdict *v = &all[i * count + k];
            printf("  %c", !v->done ? '.' : v->logits <= EXACT ? '=' : '~');
        }
    }
    printf("\n\n= the same function: logits on test data agree to %g of the "
           "largest\n"
           "~ another one: the nearest that its matrices can be     . none\n\n",
           EXACT);
    print_lost(runs, count, all);
    for (int i = 0; i < count; i++) {
        const Verdict *v = &all[i * (count + 1)];
        plugin_name(runs[i].config.variant, name);
        if (v->done && v->logits > EXACT)
            printf("%s into itself is not the same: its adopt cannot reach all "
                   "that it can\nlearn, or is wrong; `qkv check` tells\n",
                   name);
        if (!v->done)
            printf("%s: %s\n", name, v->why);
    }
}

static void
print_table(const Options *o, const Run *runs, int count)
{
    Verdict *all = convert_all(runs, count);
    Sheet sheet = verdict_sheet();
    for (int i = 0; i < count * count; i++) {
        char from[NAME_SIZE], to[NAME_SIZE];
        plugin_name(runs[i / count].config.variant, from);
        plugin_name(runs[i % count].config.variant, to);
        add_verdict(&sheet, from, to, &all[i]);
    }
    if (wants_tsv(o->tsv))
        sheet_print(&sheet, true);
    else
        print_square(runs, count, all);
    free(all);
}

int
command_equiv(int argc, char **argv)
{
    Options o = options_read(argc, argv, EQUIV);
    int count, status;
    if ((o.rest_count == 1) != (o.to != NULL) || o.rest_count > 1)
        usage("equiv takes one run and --to VARIANT, to convert it, or "
              "neither, for the table");
    if (o.rest_count) {
        status = convert_run(&o);
        options_free(&o);
        return status;
    }
    unless_given(&o, "variant", default_variants);
    unless_given(&o, "task",
                 options_given(&o, "file")->count ? "text" : "induction");
    settle_seeds(&o, 1);
    Grid g = grid_of(&o);
    status = run_missing(&o, &g);
    Run *runs = finished(&o, &g, &count);
    print_table(&o, runs, count);
    free_runs(runs, count);
    grid_free(&g);
    options_free(&o);
    return status;
}
