/* compare.c - qkv compare and qkv train: from options to runs, a table and
   figures. Runs that are there already are not trained again. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "page/table.h"
#include "run/grid.h"
#include "run/jobs.h"
#include "run/plan.h"
#include "run/real_count.h"
#include "study/figure.h"
#include "study/rate.h"
#include "study/results_table.h"

/* What `qkv compare` does unless told otherwise: about a minute of work that
   is worth seeing. */
const char default_variants[] =
    "standard,per-head,fused,two-step,two-step-tanh,full-rank,symmetric";
static const char default_tasks[] = "reverse,recall,sort,induction";
enum { DEFAULT_SEEDS = 5 };

static void
unless_given(Options *o, const char *setting, const char *list)
{
    Values *v = given_to(&o->request, setting);
    if (!v->count)
        *v = values_cut(list);
}

void
resolve_grid(Options *o, const char *variants, const char *tasks_wanted,
             int usual)
{
    Values *v = given_to(&o->request, "seed");
    unless_given(o, "variant", variants);
    unless_given(o, "task",
                 given_to(&o->request, "file")->count ? "text" : tasks_wanted);
    for (int i = v->count ? usual : 0; i < usual; i++)
        values_add(v, format_text("%d", i + 1));
}

/* The numeric setting that a command gave most values, or NULL. */
static const char *
longest_axis(const Experiment *e)
{
    const char *axis = NULL;
    int most = 1;
    for (const Setting *s = settings; s < settings + setting_count; s++) {
        const char *said = experiment_said(e, s->name);
        Values v = values_cut(said ? said : "");
        if (setting_numeric(s) && s->role != OF_SEED && v.count > most) {
            most = v.count;
            axis = s->name;
        }
        values_free(&v);
    }
    return axis;
}

void
draw_all(const Drawing *d, const Experiment *e, const Experiment *whole)
{
    Drawing own = *d;
    own.together = true;
    if (e->runs[0].config.steps > 0)
        figures_draw(&own, e);
    bars_draw(d, whole);
    own.x = longest_axis(e);
    own.y = "test_accuracy,test_loss,solved_at";
    if (own.x)
        figures_draw(&own, e);
}

/* The table of the runs, and a word where some diverged. */
static void
show_results(const Options *o, const Experiment *e)
{
    int diverged = 0;
    for (int i = 0; i < e->count; i++)
        diverged += !strcmp(run_text(&e->runs[i], "status"), "diverged");
    if (e->count) {
        Outcomes all = outcomes_of(&o->request, e);
        results_print(&all, layout_of(o));
        outcomes_free(&all);
    }
    if (diverged)
        note("%d %s diverged: no finite loss; a smaller --lr may help",
             diverged, diverged == 1 ? "run" : "runs");
}

/* Trains what the grid lacks, then prints and draws all of it. */
static int
train_and_show(const Options *o, Grid *g, bool rates_found)
{
    int status = run_missing(&o->request.work, g);
    Experiment e = finished(&o->request.work, g);
    if (!o->compare.no_figures)
        count_real(&o->request.work, &e);
    show_results(o, &e);
    bool trained = e.count && e.runs[0].config.steps > 0;
    bool single = !rates_found && given_to(&o->request, "lr")->count < 2;
    if (trained && single && !o->quiet)
        note("a single learning rate can favour one variant; compare several: "
             "--lr auto, or --lr 0.001,0.003,0.01");
    if (e.count && !o->compare.no_figures) {
        Experiment whole = experiment_read(&o->out, 1);
        draw_all(&o->draw, &e, &whole);
        experiment_free(&whole);
    }
    experiment_free(&e);
    return status;
}

/* A value of a setting as runs have it: of a plugin's path its name, interned.
 */
static const char *
plain_value(const Setting *s, const char *value)
{
    char name[NAME_SIZE];
    if (!setting_plugin(s))
        return value;
    plugin_name(value, name);
    return interned(name);
}

/* Of one variant verdicts are between the words that were given to another
   setting, as positions; with --by between what that names. Exits (2) where
   nothing of what is compared is the baseline. */
static void
resolve_by(Request *r)
{
    const Setting *s = setting_named(r->by ? r->by : "variant");
    bool one = given_to(r, "variant")->count == 1 &&
               !given_to(r, "match")->count && !r->by;
    for (int i = 0; one && i < setting_count; i++)
        if (settings[i].kind == CHOICE && r->given[i].count > 1)
            s = &settings[i];
    if (!s || (r->by && r->given[s - settings].count < 2))
        usage("--by %s: not a setting of several values: give --%s A,B", r->by,
              r->by);
    const Values *v = &r->given[s - settings];
    bool by = strcmp(s->name, "variant"), found = !r->baseline;
    r->by = by ? s->name : NULL;
    if (r->baseline)
        r->baseline = plain_value(s, r->baseline);
    else if (by)
        r->baseline = v->text[0];
    for (int i = 0; i < v->count && !found; i++)
        found = !strcmp(plain_value(s, v->text[i]), r->baseline);
    if (!found)
        usage("--baseline %s: none of the runs is of it; take one of the "
              "variants that are compared",
              r->baseline);
}

int
command_compare(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    int status = 0;
    resolve_grid(&o, default_variants, default_tasks, DEFAULT_SEEDS);
    resolve_by(&o.request);
    o.draw.by = o.request.by ? o.request.by : o.draw.by;
    check_judged(&o.request);
    char *asked = manifest_of(&o.request, "compare");
    bool found = rates_wanted(&o.request);
    if (found && o.compare.plan)
        usage("--plan and --lr auto contradict each other: rates are found by "
              "training; run --lr auto, or give the rates");
    if (found)
        values_free(given_to(&o.request, "lr"));
    Grid g = grid_of(&o.request, asked);
    if (found)
        rates_find(&o.request, &g);
    if (o.compare.plan)
        plan_print(&o.request.work, &g);
    else
        status = train_and_show(&o, &g, found);
    grid_free(&g);
    return status;
}

/* With --from: every setting is the run's, unless it is given, and one that may
   differ in a run that goes on from another's weights. Returns the hash of its
   text. */
static uint64_t
take_settings(Options *o)
{
    const int may_differ = OF_SEED | OF_TRAINING | OF_OBSERVATION;
    Run r = run_read(o->request.work.from);
    o->request.work.from = interned(r.path); /* without a slash at its end */
    for (int i = 0; i < setting_count; i++) {
        char value[VALUE_SIZE];
        const Setting *s = &settings[i];
        if (!s->help)
            continue;
        if (o->request.given[i].count && !(s->role & may_differ))
            usage("--%s: with --from it is what that run has; only settings of "
                  "training can be given",
                  s->name);
        setting_print(s, &r.config, value);
        if (setting_plugin(s))
            strcpy(value, plugin_believed(interned(value)));
        if (!strcmp(s->name, "same-start"))
            continue; /* it starts as the run */
        if (o->request.given[i].count || !*value ||
            setting_unused(s, &r.config))
            continue;
        values_add(&o->request.given[i], copy_text(value));
    }
    run_free(&r);
    return r.config.file_hash;
}

int
command_train(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    char *asked = manifest_of(&o.request, "train"); /* as it was given */
    uint64_t text = o.request.work.from ? take_settings(&o) : 0;
    resolve_grid(&o, "standard", "reverse", 1);
    Grid g = grid_of(&o.request, asked);
    if (o.request.work.from && g.jobs[0].config.file_hash != text)
        fail("%s: its text %s has changed since; bring that one back",
             o.request.work.from, g.jobs[0].config.file);
    int status = run_missing(&o.request.work, &g);
    Experiment e = finished(&o.request.work, &g);
    if (e.count) {
        if (!o.quiet)
            note("the run is %s/%s", o.out, g.jobs[0].name);
        show_results(&o, &e);
        if (layout_of(&o) == ALIGNED && !o.quiet) {
            Drawing curve = o.draw;
            curve.format = "dumb";
            curve.y = "validation_loss";
            curve.out = e.runs[0].path;
            figures_draw(&curve, &e);
        }
    }
    experiment_free(&e);
    grid_free(&g);
    return status;
}
