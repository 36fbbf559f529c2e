/* grid.c - from options to the list of runs that they ask for. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "run/fair.h"
#include "run/grid.h"
#include "heart/fail.h"
#include "heart/train.h"
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

/* The facts of a plugin that was given. */
static const Facts *
facts_of(const Grid *g, const char *word)
{
    const Facts *f = g->variants;
    while (strcmp(f->word, word))
        f++;
    return f;
}

/* Describes the variants, and refuses two of one name: their runs could not
   be told apart. */
static void
describe_all(Grid *g, const Request *o)
{
    const char *const kinds[] = {"variant", "encoder-variant", "cross-variant"};
    Values words = {0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < given_to(o, kinds[k])->count; i++)
            values_add(&words, copy_text(given_to(o, kinds[k])->text[i]));
    g->variant_count = given_to(o, "variant")->count;
    g->variants = describe_each(&words, NULL, DECLARED);
    const char **uses = allocate((size_t)words.count, sizeof *uses);
    for (int i = 0; i < words.count; i++) {
        const Facts *f = &g->variants[i];
        uses[i] = f->uses;
        if (!f->ok)
            f->status == 2 ? usage("%s", f->why) : fail("%s", f->why);
        for (int k = 0; k < i && i < g->variant_count; k++)
            if (!strcmp(g->variants[k].name, f->name))
                usage("two variants are called %s: %s and %s; rename one",
                      f->name, g->variants[k].path, f->path);
    }
    if (!given_to(o, "same-start")->count &&
        !given_to(o, "match")->count) /* they are of other variants too */
        request_used(o, uses, words.count);
    free(uses);
    values_free(&words);
}

/* Opens the task's dataset, to refuse what is wrong before anything runs and
   to hash a text; but not again for a run that has the same as the last one. */
static void
check_source(const Grid *g, Config *c)
{
    const Config *last = g->count ? &g->jobs[g->count - 1].config : NULL;
    if (last && config_equal(last, c, OF_DATA | OF_SECOND) &&
        last->batch == c->batch) {
        c->file_hash = last->file_hash;
        return;
    }
    Dataset data = dataset_open(c);
    dataset_close(&data);
}

/* Makes the settings of one point of the grid whole. */
static void
resolve_point(Grid *g, Config *c, const Facts *f)
{
    const char *uses[3] = {f->uses};
    const char *others[] = {c->encoder_variant, c->cross_variant};
    uint64_t hashes[3] = {f->hash};
    for (int i = 0; i < 2; i++)
        if (*others[i]) {
            uses[i + 1] = facts_of(g, others[i])->uses;
            hashes[i + 1] = facts_of(g, others[i])->hash;
        }
    config_resolve_all(c, uses, hashes);
    check_source(g, c);
    c->from = interned(g->from ? g->from : "");
}

/* Adds the run of a whole config, unless it is there already. */
static void
add_job(Grid *g, Config c, const Config *ordinary, int *room)
{
    char *name = run_name(&c, ordinary);
    if (!word_added(&g->names, name)) {
        free(name);
        return;
    }
    g->jobs = grow(g->jobs, g->count, room, sizeof *g->jobs);
    g->jobs[g->count++] = (Job){.config = c, .name = name};
}

/* Goes through the values of setting i and of those after it. Seeds come last
   whatever their place in the table. */
static void
expand(Grid *g, const Request *o, Config c, int i, int *room)
{
    int seed = (int)(setting_named("seed") - settings);
    if (i == seed)
        i++;
    if (i >= setting_count) {
        const Values *seeds = &o->given[seed];
        meet_budget(o, &c);
        choose_start(&c);
        check_build(&c);
        const Facts *f = facts_of(g, c.variant);
        Config ordinary = ordinary_config(c.task, c.variant, f->uses);
        resolve_point(g, &c, f);
        for (int k = 0; k < seeds->count; k++) {
            setting_set(&settings[seed], &c, seeds->text[k]);
            add_job(g, c, &ordinary, room);
        }
        return;
    }
    const Values *v = &o->given[i];
    bool fixed = !v->count || !strcmp(settings[i].name, "task") ||
                 !strcmp(settings[i].name, "variant");
    for (int k = 0; k < (fixed ? 1 : v->count); k++) {
        if (!fixed)
            setting_set(&settings[i], &c, v->text[k]);
        expand(g, o, c, i + 1, room);
    }
}

Manifest
manifest_of(const Request *o, const char *command)
{
    Manifest a = manifest_begin(command);
    for (int i = 0; i < setting_count; i++) {
        char *values = joined(&o->given[i], ",");
        if (*values)
            manifest_add(&a, settings[i].name, values);
        free(values);
    }
    if (o->by)
        manifest_add(&a, "by", o->by);
    if (!strcmp(command, "compare"))
        manifest_add(&a, "baseline", o->baseline ? o->baseline : BASELINE);
    if (o->judge)
        manifest_add(&a, "judge", o->judge);
    if (o->margin)
        manifest_add(&a, "margin", o->margin);
    if (o->work.from)
        manifest_add(&a, "from", o->work.from);
    return a;
}

Grid
grid_of(const Request *o, Manifest asked)
{
    const char *slash = o->work.from ? strrchr(o->work.from, '/') : NULL;
    Grid g = {.asked = asked, .from = slash ? slash + 1 : o->work.from};
    int room = 0;
    const Values *tasks_given = given_to(o, "task");
    describe_all(&g, o);
    for (int t = 0; t < tasks_given->count; t++)
        for (int v = 0; v < g.variant_count; v++) {
            Config c = task_start(tasks_given->text[t]);
            c.task = interned(tasks_given->text[t]);
            c.variant = interned(g.variants[v].word);
            expand(&g, o, c, 0, &room);
        }
    return g;
}

void
grid_rate(Grid *g, Job *job, double lr)
{
    Config *c = &job->config;
    const Facts *f = facts_of(g, c->variant);
    Config ordinary = ordinary_config(c->task, c->variant, f->uses);
    word_removed(&g->names, job->name);
    free(job->name);
    if (job->read)
        run_free(&job->run);
    job->read = false;
    c->lr = lr;
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
    free(g->variants);
    manifest_free(&g->asked);
}
