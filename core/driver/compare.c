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

/* What `qkv compare` trains without options, in about a minute. */
const char default_variants[] =
    "standard,per-head,fused,two-step,two-step-tanh,full-rank,symmetric";
static const char default_tasks[] = "reverse,recall,sort,induction";
static const char default_seeds[] = "1,2,3,4,5";

/* Gives a setting the values of a list, unless the user gave it some. */
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

/* Returns whether the run logged this column of --log while it was trained, but
   got no number for it. */
static bool
logged_nan(const Run *r, const char *column)
{
    bool was_trained = r->config.steps > 0;
    return was_trained && run_text(r, column) && isnan(run_number(r, column));
}

/* Notes, once for each variant, that a column of --log about the gauge has no
   number, and why. */
static void
explain_missing_numbers(const Experiment *e)
{
    static const char *const columns[] = {"conserved_qk", "conserved_vo",
                                          "gauge_qk",     "gauge_vo",
                                          "turn_qk",      "turn_vo"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    void *noted = NULL; /* the variants that already have a note */
    for (const Run *r = e->runs; r < e->runs + e->count; r++)
        for (int i = 0; i < COLUMNS; i++)
            if (logged_nan(r, columns[i]) &&
                add_word(&noted, r->config.variant))
                note("%s: %s is NA: heads must have only W_i^Q, W_i^K, W_i^V "
                     "and W_i^O, and no rotation; for turn, steps must also be "
                     "small relative to the weights",
                     r->config.variant, columns[i]);
}

static bool
any_diverged(const Experiment *e)
{
    for (const Run *r = e->runs; r < e->runs + e->count; r++)
        if (run_value_text(r, "status") == interned("diverged"))
            return true;
    return false;
}

/* Trains the runs of the grid that do not exist yet, and prints the results of
   all. *e becomes the finished runs; there may be none. If figures will be
   drawn, first counts the real parameters, because one figure shows them.
   Returns the exit status. */
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
        note("a run diverged: its loss is not finite; choose a smaller --lr");
    else
        explain_missing_numbers(e);
    return status;
}

/* Checks the options about results before it trains anything. With --plan, only
   prints the runs. */
int
command_compare(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Request *r = &o.request;
    default_grid(&o, default_variants, default_tasks, default_seeds);
    Grid g = grid_of(r, "compare");
    Experiment planned = runs_expected(&g);
    Outcomes question = question_of(r, &planned); /* --by, --judge ... */
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
   because the run at `path` sets it. --embed counts as OF_SHAPE, too, because a
   conversion can fold an embedding into attention (algebra/convert.h). */
static void
check_given(const Request *r, const char *path, int allowed)
{
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = &settings[i];
        int role = strcmp(s->name, "embed") ? s->role : s->role | OF_SHAPE;
        if (r->given[i].count && !(role & allowed))
            usage("--%s: it is already set by the run %s; leave it out",
                  s->name, path);
    }
}

Run
begin_from(Request *r, const char *run, int allowed)
{
    Config *base = allocate(1, sizeof *base);
    Run from = run_read(run);
    check_given(r, from.path, allowed);
    *base = from.config;
    /* The weights come from that run, so no weight is initialised. */
    base->same_start = base->init = interned("");
    r->work.from = interned(from.path);
    r->base = base;
    default_values(r, "variant", plugin_trusted(base->variant));
    default_values(r, "task", base->task);
    default_values(r, "seed", format_text("%d", base->seed));
    return from;
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
    check_results_columns("variant", o.columns);
    Experiment e;
    int status = train_and_print(&o, &g, &e);
    if (e.count && !o.quiet)
        note("the run is %s/%s", o.out, g.jobs->name);
    return status;
}
