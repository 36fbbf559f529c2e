/* compare.c - qkv compare and qkv train: train the runs that the options
   describe, except those that exist already, and show all of them in a table
   and figures. */
#include <math.h>
#include <string.h>

#include "driver/compare.h"
#include "run/jobs.h"
#include "run/real_count.h"
#include "study/figure.h"
#include "study/verdict_table.h"

/* The runs that `qkv compare` trains without options, in about a minute. */
const char default_variants[] =
    "standard,per-head,fused,two-step,two-step-tanh,full-rank,symmetric";
static const char default_tasks[] = "reverse,recall,sort,induction";
static const char default_seeds[] = "1,2,3,4,5";

/* Gives a setting the values of a list, unless it has values already. */
static void
default_values(Request *r, const char *setting, const char *list)
{
    Values *given = given_to(r, setting);
    if (!given->count)
        *given = values_split(list);
}

void
default_grid(Options *o, const char *variants, const char *tasks_without_file,
             const char *seeds)
{
    Request *r = &o->request;
    if (given_to(r, "file")->count > 0)
        default_values(r, "task", "text");
    default_values(r, "variant", variants);
    default_values(r, "task", tasks_without_file);
    default_values(r, "seed", seeds);
}

void
draw_all(const Drawing *d, const Request *r, const Experiment *e,
         const Experiment *in_directory)
{
    if (e->runs[0].config.steps > 0) /* without steps there are no curves */
        figures_draw(d, r, e);
    bars_draw(d, in_directory);
}

/* The first column of --log about the gauge that a trained run has, but without
   a number; NULL if there is none. */
static const char *
column_without_number(const Run *r)
{
    static const char *const columns[] = {"conserved_qk", "conserved_vo",
                                          "gauge_qk",     "gauge_vo",
                                          "turn_qk",      "turn_vo"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    if (r->config.steps == 0) /* it was not trained */
        return NULL;
    for (int i = 0; i < COLUMNS; i++)
        if (run_text(r, columns[i]) && isnan(run_number(r, columns[i])))
            return columns[i];
    return NULL;
}

/* If a column of --log about the gauge has no number, prints a note that says
   why, once for each variant. */
static void
explain_missing_numbers(const Experiment *e)
{
    void *noted = NULL; /* the set of variants that have a note */
    for (const Run *r = e->runs; r < e->runs + e->count; r++) {
        const char *column = column_without_number(r);
        bool first_of_variant = column && add_word(&noted, r->config.variant);
        if (first_of_variant)
            note("%s: %s is NA: it needs heads made only of W_i^Q, W_i^K, "
                 "W_i^V and W_i^O, without rotation; the turn columns also "
                 "need steps that are small relative to the weights",
                 r->config.variant, column);
    }
}

static bool
any_diverged(const Experiment *e)
{
    for (const Run *r = e->runs; r < e->runs + e->count; r++)
        /* Both texts are interned, so equal texts have one address. */
        if (run_value_text(r, "status") == interned("diverged"))
            return true;
    return false;
}

/* Trains the runs of the grid that do not exist yet, and prints the results of
   all. If figures will be drawn, first counts the real parameters, which one of
   them shows. *e becomes the finished runs; there may be none. Returns the exit
   status. */
static int
train_and_print(const Options *o, Grid *g, Experiment *e)
{
    int status = run_missing(&o->request.work, g);
    *e = runs_finished(&o->request.work, g);
    if (!e->count)
        return status;
    if (!o->no_figures)
        count_real(&o->request.work, e);
    Outcomes all = outcomes_of(&o->request, e);
    results_print(&all, o->columns, layout_of(o));
    if (any_diverged(e))
        note("a run diverged: its loss or a weight became infinite or NaN; "
             "choose a smaller --lr (`qkv table` shows which runs did)");
    else
        explain_missing_numbers(e);
    return status;
}

/* Checks the options about results before it trains anything, so that a wrong
   one costs no time. With --plan, only prints the runs. */
int
command_compare(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Request *r = &o.request;
    default_grid(&o, default_variants, default_tasks, default_seeds);
    Grid g = grid_of(r, "compare");
    Experiment planned = runs_expected(&g);
    Outcomes question = question_of(r, &planned); /* checks --by, --judge */
    check_results_columns(question.by, o.columns);
    if (given_to(r, "lr")->count < 2 && !o.plan && !o.quiet)
        note("a single learning rate can favour one variant; compare several: "
             "--lr auto, or --lr 0.001,0.003,0.01");
    if (o.plan) {
        plan_print(&r->work, &g);
        return 0;
    }
    Experiment e;
    int status = train_and_print(&o, &g, &e);
    if (e.count && !o.no_figures) {
        const int one_path = 1;
        Experiment in_directory = experiment_read(&o.out, one_path);
        o.draw.by = compared_by(r, &e);
        draw_all(&o.draw, r, &e, &in_directory);
    }
    return status;
}

/* Exits (2) if the user gave a setting that has none of the roles `allowed`,
   because the run at `path` sets it. --embed may also be given if OF_SHAPE is
   allowed (compare.h says why). */
static void
check_given(const Request *r, const char *path, int allowed)
{
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = &settings[i];
        int roles = s->role; /* a bit for each role */
        if (!strcmp(s->name, "embed"))
            roles |= OF_SHAPE;
        if (r->given[i].count && !(roles & allowed))
            usage("--%s: it is already set by the run %s; leave it out",
                  s->name, path);
    }
}

Run
begin_from(Request *r, const char *run, int allowed)
{
    Config *base = allocate(1, sizeof *base); /* the request keeps it */
    Run from = run_read(run);
    check_given(r, from.path, allowed);
    *base = from.config;
    /* The weights come from that run, so no weight is initialised. */
    base->same_start = base->init = interned("");
    base->from = run_identity(&from);   /* recorded in the config of new runs */
    r->work.from = interned(from.path); /* from there the weights are read */
    r->base = base;
    /* A path in somebody's run is not opened; only its name is used. */
    default_values(r, "variant", plugin_trusted(base->variant));
    default_values(r, "task", base->task);
    default_values(r, "seed", format_text("%d", base->seed));
    return from;
}

/* Prints a note if the weights from which c's run begins belong to another
   build of its variant's plugin. */
static void
note_other_build(const Request *r, const Config *c)
{
    bool same_variant = r->base && config_equal(r->base, c, OF_VARIANT);
    if (same_variant && r->base->plugin_hash != c->plugin_hash)
        note("%s: it was trained with another build of %s", r->work.from,
             c->variant);
}

int
command_train(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Request *r = &o.request;
    o.no_figures = true; /* a single run has no figures */
    if (r->work.from)
        begin_from(r, r->work.from,
                   OF_SEED | OF_TRAINING | OF_OBSERVATION | OF_VARIANT |
                       OF_SHAPE);
    default_grid(&o, "standard", "reverse", "1");
    Grid g = grid_of(r, "train");
    note_other_build(r, &g.jobs->config);
    check_results_columns("variant", o.columns);
    Experiment e;
    int status = train_and_print(&o, &g, &e);
    if (e.count && !o.quiet)
        note("the run is %s/%s", o.out, g.jobs->name);
    return status;
}
