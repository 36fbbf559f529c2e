/* grid.c - from options to the list of runs that they ask for. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/build_model.h"
#include "config/tasks.h"
#include "heart/fail.h"
#include "heart/train.h"
#include "run/describe.h"
#include "run/fair.h"
#include "run/grid.h"
#include "run/run.h"

Config
ordinary_config(const char *task, const char *variant, const char *uses)
{
    Config c = task_start(task);
    c.task = interned(task);
    c.variant = interned(variant);
    config_resolve(&c, uses);
    return c;
}

/* Opens the plugins that were given. Refuses two of one name, whose runs could
   not be told apart, and a shape option that none of them uses. */
static void
check_variants(const Request *o)
{
    const Values *given = given_to(o, "variant");
    char *uses = copy_text("");
    void *names = NULL;
    for (int i = 0; i < given->count; i++) {
        Plugin p = plugin_open(given->text[i]);
        check_own(&p);
        replace(&uses, format_text("%s %s", uses, variant_uses(p.variant)));
        if (!word_added(&names, copy_text(p.name)))
            usage("two variants are called %s, one of them %s; rename one",
                  p.name, p.path);
    }
    if (!given_to(o, "same-start")->count &&
        !given_to(o, "match")->count) /* they are of other variants too */
        request_used(o, uses);
    free(uses);
}

/* Opens the task's dataset, to hash a text, and to refuse what is wrong before
   anything runs: with a file, and with --init and --log. */
static void
check_source(Config *c, const Variant *v)
{
    Dataset data = dataset_open(c);
    if (*c->init || *c->log) {
        Model *m = model_new(c, data.sizes, v);
        Observer o = observer_new(m, &data);
        observer_free(&o);
        model_free(m);
    }
    dataset_close(&data);
}

/* Adds the runs of one point of the grid, one for each seed, but for those that
   are there already. */
static void
add_point(Grid *g, const Request *o, Config c)
{
    const Setting *seed = setting_named("seed");
    const Values *seeds = given_to(o, "seed");
    const char *from = o->work.from, *slash = from ? strrchr(from, '/') : NULL;
    meet_budget(o, &c);
    choose_start(&c);
    Plugin p = plugin_open(c.variant);
    Config ordinary =
        ordinary_config(c.task, c.variant, variant_uses(p.variant));
    config_cast(&c, &p);
    check_source(&c, p.variant);
    c.from = interned(slash ? slash + 1 : from ? from : "");
    for (int k = 0; k < seeds->count; k++) {
        setting_set(seed, &c, seeds->text[k]);
        char *name = run_name(&c, &ordinary);
        g->jobs = grow(g->jobs, g->count, &g->room, sizeof *g->jobs);
        if (word_added(&g->names, name))
            g->jobs[g->count++] = (Job){.config = c, .name = name};
        else
            free(name);
    }
}

/* Goes through the values of setting i and of those after it, except for
   seeds, which come last. */
static void
expand(Grid *g, const Request *o, Config c, int i)
{
    static const char *const chosen = "task variant seed";
    if (i == setting_count) {
        add_point(g, o, c);
        return;
    }
    const Values *v = &o->given[i];
    bool fixed = !v->count || index_in(chosen, settings[i].name) >= 0;
    for (int k = 0; k < (fixed ? 1 : v->count); k++) {
        if (!fixed)
            setting_set(&settings[i], &c, v->text[k]);
        expand(g, o, c, i + 1);
    }
}

char *
manifest_of(const Request *o, const char *command)
{
    char *a = manifest_begin(command);
    for (int i = 0; i < setting_count; i++) {
        char *values = joined(&o->given[i], ",");
        if (*values)
            manifest_add(&a, settings[i].name, values);
        free(values);
    }
    const char *baseline = o->baseline                  ? o->baseline
                           : strcmp(command, "compare") ? NULL
                                                        : BASELINE;
    const char *const more[][2] = {{"by", o->by},
                                   {"baseline", baseline},
                                   {"judge", o->judge},
                                   {"margin", o->margin},
                                   {"from", o->work.from}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i][1])
            manifest_add(&a, more[i][0], more[i][1]);
    return a;
}

Grid
grid_of(const Request *o, char *asked)
{
    Grid g = {.asked = asked};
    const Values *tasks_given = given_to(o, "task");
    const Values *variants = given_to(o, "variant");
    check_variants(o);
    for (int t = 0; t < tasks_given->count; t++)
        for (int v = 0; v < variants->count; v++) {
            Config c = o->base ? *o->base : task_start(tasks_given->text[t]);
            c.task = interned(tasks_given->text[t]);
            c.variant = interned(variants->text[v]);
            expand(&g, o, c, 0);
        }
    return g;
}

void
grid_rate(Grid *g, Job *job, double lr)
{
    Config *c = &job->config;
    const Variant *v = plugin_open(c->variant).variant;
    Config ordinary = ordinary_config(c->task, c->variant, variant_uses(v));
    c->lr = lr;
    word_removed(&g->names, job->name);
    free(job->name);
    job->name = run_name(c, &ordinary);
    word_added(&g->names, job->name);
}

void
grid_free(Grid *g)
{
    for (int i = 0; i < g->count; i++) {
        word_removed(&g->names, g->jobs[i].name);
        free(g->jobs[i].name);
    }
    free(g->jobs);
    free(g->asked);
}
