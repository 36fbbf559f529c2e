/* grid.c - from options to the list of runs that they ask for. */
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "fair.h"
#include "grid.h"
#include "run.h"
#include "task.h"
#include "words.h"

Config
ordinary_config(const char *task, const char *variant, const char *shape)
{
    Config c = config_start();
    config_apply(&c, task_named(task)->settings);
    c.task = interned(task);
    c.variant = interned(variant);
    config_settle(&c, shape);
    return c;
}

static const Facts *
facts_of(const Grid *g, const char *word)
{
    for (int i = 0; i < g->fact_count; i++)
        if (!strcmp(g->variants[i].word, word))
            return &g->variants[i];
    bug("grid: no facts of %s", word);
}

/* Asks a plugin for its facts, once; exits with what is wrong with it. */
static void
describe_one(Grid *g, const char *word)
{
    for (int i = 0; i < g->fact_count; i++)
        if (!strcmp(g->variants[i].word, word))
            return;
    Facts *f = &g->variants[g->fact_count];
    *f = describe(word, NULL, false);
    if (!f->ok) {
        note("%s", f->why);
        exit(f->status);
    }
    g->fact_count++;
}

/* Describes the variants, and refuses two of one name: their runs could not
   be told apart. */
static void
describe_all(Grid *g, const Options *o)
{
    const Values *v = options_given(o, "variant");
    const Values *others[] = {options_given(o, "encoder-variant"),
                              options_given(o, "cross-variant")};
    int most = v->count + others[0]->count + others[1]->count;
    g->variants = allocate((size_t)most, sizeof *g->variants);
    for (int i = 0; i < v->count; i++) {
        for (int k = 0; k < i; k++)
            if (!strcmp(v->text[i], v->text[k]))
                usage("variant %s is asked for twice", v->text[i]);
        describe_one(g, v->text[i]);
        const Facts *f = &g->variants[i];
        for (int k = 0; k < i; k++)
            if (!strcmp(g->variants[k].name, f->name))
                usage(strcmp(g->variants[k].path, f->path)
                          ? "two variants are called %s: %s and %s; rename one"
                          : "variant %s is asked for twice: %s and %s",
                      f->name, g->variants[k].path, f->path);
    }
    g->variant_count = v->count;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < others[i]->count; k++)
            describe_one(g, others[i]->text[k]);
}

/* Opens the task's source, to refuse what is wrong before anything runs and to
   hash a text; but not again for a run that has the same as the last one. */
static void
check_source(const Grid *g, Config *c)
{
    const Config *last = g->count ? &g->jobs[g->count - 1].config : NULL;
    if (last && !strcmp(last->task, c->task) && !strcmp(last->file, c->file) &&
        last->length == c->length && last->symbols == c->symbols &&
        last->values == c->values && last->queries == c->queries &&
        last->members == c->members && last->cross == c->cross &&
        last->depth == c->depth && last->spectrum == c->spectrum &&
        last->power == c->power && last->encoder == c->encoder &&
        !strcmp(last->encoder_variant, c->encoder_variant) &&
        !strcmp(last->cross_variant, c->cross_variant) &&
        last->batch == c->batch && last->characters == c->characters) {
        c->file_hash = last->file_hash;
        return;
    }
    Source s = source_open(c);
    source_close(&s);
}

/* Where a job of that name is noted, or would be. */
static int *
slot_of(const Grid *g, const char *name)
{
    uint64_t hash = hash_bytes(HASH_START, name, strlen(name));
    int i = (int)(hash % (uint64_t)g->slots);
    while (g->by_hash[i] && strcmp(g->jobs[g->by_hash[i] - 1].name, name))
        i = (i + 1) % g->slots;
    return &g->by_hash[i];
}

/* Makes room for twice as many names where half of it is taken. */
static void
widen(Grid *g)
{
    if (2 * g->count < g->slots)
        return;
    free(g->by_hash);
    g->slots = g->slots ? 2 * g->slots : 1024;
    g->by_hash = allocate((size_t)g->slots, sizeof *g->by_hash);
    for (int i = 0; i < g->count; i++)
        *slot_of(g, g->jobs[i].name) = i + 1;
}

/* Makes the settings of one point of the grid whole. */
static void
settle_point(const Grid *g, Config *c, const Facts *f)
{
    const char *shapes[3] = {f->shape};
    const char *others[] = {c->encoder_variant, c->cross_variant};
    uint64_t hashes[3] = {f->hash};
    for (int i = 0; i < 2; i++)
        if (*others[i]) {
            shapes[i + 1] = facts_of(g, others[i])->shape;
            hashes[i + 1] = facts_of(g, others[i])->hash;
        }
    config_settle_all(c, shapes, hashes);
    check_source(g, c);
    c->from = interned(g->from ? g->from : "");
}

/* Adds the run of a whole config, unless it is there already. */
static void
add_job(Grid *g, Config c, const Config *ordinary, int *room)
{
    char *name = run_name(&c, ordinary);
    widen(g);
    int *slot = slot_of(g, name);
    if (*slot) {
        free(name);
        return;
    }
    g->jobs = grow(g->jobs, g->count, room, sizeof *g->jobs);
    g->jobs[g->count++] = (Job){.config = c, .name = name};
    *slot = g->count;
}

/* Goes through the values of setting i and of those after it. Seeds come last
   whatever their place in the table. */
static void
expand(Grid *g, const Options *o, Config c, int i, int *room)
{
    int seed = (int)(setting_named("seed") - settings);
    if (i == seed)
        i++;
    if (i >= setting_count) {
        const Values *seeds = &o->given[seed];
        meet_budget(o, &c);
        choose_start(g, o, &c);
        check_build(&c);
        const Facts *f = facts_of(g, c.variant);
        Config ordinary = ordinary_config(c.task, c.variant, f->shape);
        settle_point(g, &c, f);
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

/* The last part of a path. */
static const char *
base_name(const char *path)
{
    static char name[WORD_SIZE];
    snprintf(name, sizeof name, "%s", path);
    while (*name && name[strlen(name) - 1] == '/')
        name[strlen(name) - 1] = 0;
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

Grid
grid_of(const Options *o)
{
    Grid g = {.from = o->from ? base_name(o->from) : NULL};
    int room = 0;
    const Values *tasks_given = options_given(o, "task");
    describe_all(&g, o);
    for (int t = 0; t < tasks_given->count; t++)
        for (int v = 0; v < g.variant_count; v++) {
            Config c = config_start();
            config_apply(&c, task_named(tasks_given->text[t])->settings);
            c.task = interned(tasks_given->text[t]);
            c.variant = interned(g.variants[v].word);
            expand(&g, o, c, 0, &room);
        }
    return g;
}

void
grid_free(Grid *g)
{
    for (int i = 0; i < g->count; i++)
        free(g->jobs[i].name);
    free(g->jobs);
    free(g->variants);
    free(g->by_hash);
    free(g->starts);
}
