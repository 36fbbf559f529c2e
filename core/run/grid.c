/* grid.c - makes the list of runs that a command's options describe.

   All runs are checked before the first is trained. A point of the grid is a
   config without its seed; it has one run for each seed. The setting same-start
   names a variant: every run begins as the same function as that variant's run.
   A note names the variants that cannot. */
#include <stdio.h>
#include <string.h>

#include <qkv/real.h>

#include "algebra/convert.h"
#include "run/grid.h"
#include "tasks/tasks.h"
#include "training/build_model.h"

Values *
given_to(const Request *r, const char *setting)
{
    return &r->given[setting_named(setting) - settings];
}

void
request_apply(const Request *r, Config *c)
{
    for (int i = 0; i < setting_count; i++)
        if (r->given[i].count)
            setting_set(&settings[i], c, r->given[i].text[0]);
}

void
refuse_unused(const Request *r, const char *checked, const char *uses)
{
    for (int i = 0; i < setting_count; i++) {
        const char *name = settings[i].name;
        bool is_checked =
            checked == ALL_SETTINGS || index_in(checked, name) >= 0;
        if (r->given[i].count && is_checked && index_in(uses, name) < 0)
            usage("--%s: no variant or model here uses it; leave it out", name);
    }
}

/* Prints a note unless the grid has printed it already. */
static void
note_once(Grid *g, char *text)
{
    if (add_word(&g->notes, text))
        note("%s", text);
}

/* Notes a run that can solve its task by looking at the answer: a token's
   answer is the next token, and self-attention sees it. */
static void
note_seen_answers(Grid *g, const Config *c)
{
    bool is_next = task_named(c->task)->answer_is_next_token;
    if (is_next && c->mask == MASK_NONE && c->cross != CROSS_ONLY)
        note_once(g, format_text("task %s without a mask: every token sees the "
                                 "next one, which is its answer; set mask to "
                                 "causal",
                                 c->task));
}

/* Clears c->same_start if m, the model of c, cannot start as the same function
   as that variant's run in this grid. A note says so, once for each pair of
   variants. `given` is c before config_resolve. */
static void
drop_impossible_start(Grid *g, const Config *given, Config *c, Model *m)
{
    Conversion unused;
    Config imitated = same_start_config(c); /* of the model that m imitates */
    Config other = *given;                  /* of that variant's run */
    config_resolve(&other, variant_uses(plugin_open(c->same_start).variant));
    bool is_in_grid = config_equal(&other, &imitated, OF_SHAPE);
    if (is_in_grid && initialise_same_start(m, &unused))
        return;
    note_once(g, format_text("%s cannot start as the same function as %s; it "
                             "keeps its own initial weights",
                             c->variant, c->same_start));
    c->same_start = interned("");
}

/* Exits if two of the given variants have one name, because their runs could
   not be told apart. */
static void
check_variants(const Request *r)
{
    const Values *given = given_to(r, "variant");
    void *names = NULL;
    for (int i = 0; i < given->count; i++) {
        Plugin p = plugin_open(given->text[i]);
        if (!add_word(&names, copy_text(p.name)))
            usage("two variants are called %s (one of them is %s): drop or "
                  "rename one",
                  p.name, p.path);
    }
}

/* Exits if a setting was given that none of the runs uses. With --same-start, a
   setting of the shape may be meant for the variant named there, so none is
   refused. */
static void
check_used(const Grid *g, const Request *r)
{
    bool other_shape = given_to(r, "same-start")->count > 0;
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = &settings[i];
        bool used = s->role == OF_SHAPE && other_shape;
        for (const Job *j = g->jobs; j < g->jobs + g->count; j++)
            used |= !setting_unused(s, &j->config);
        if (!used && r->given[i].count)
            usage("--%s: no run here uses it; leave it out", s->name);
    }
}

/* Notes the weights that c->init names and m, the model of c, does not have.
   One init may serve several variants, so a model need not have all of them. */
static void
note_missing_weights(Grid *g, const Config *c, Model *m)
{
    const double same = 1; /* m stays as it is */
    char *rest = copy_text(c->init);
    for (char *pair = strsep(&rest, "+"); pair; pair = strsep(&rest, "+")) {
        pair[strcspn(pair, "=")] = 0; /* cuts NAME=FACTOR to NAME */
        if (*pair && !scale_weights(m, pair, same))
            note_once(g, format_text("init: a model of %s has no weight %s",
                                     c->variant, pair));
    }
}

/* Checks how a run begins, the settings init and same-start, by making the
   model of c: exits if a factor of init is wrong, and clears c->same_start if
   the model cannot start as that variant. `given` is c before config_resolve.
 */
static void
check_start(Grid *g, const Config *given, Config *c, Sizes sizes,
            const Variant *v)
{
    if (!*c->init && !*c->same_start)
        return;
    Model *m = model_new(c, sizes, v);
    note_missing_weights(g, c, m);
    if (*c->same_start)
        drop_impossible_start(g, given, c, m);
    model_free(m);
}

/* Adds the runs of c, a config after config_resolve, one for each seed. Two
   points that differ only in settings that the variant does not use have the
   same runs, which are added once. `uses` lists the settings that it uses. */
static void
add_seeds(Grid *g, const Values *seeds, Config c, const char *uses)
{
    for (int k = 0; k < seeds->count; k++) {
        setting_set(setting_named("seed"), &c, seeds->text[k]);
        char *name = run_name(&c, uses);
        if (!add_word(&g->names, name))
            continue;
        g->jobs = grow(g->jobs, g->count, &g->capacity, sizeof *g->jobs);
        g->jobs[g->count++] = (Job){.config = c, .name = name};
    }
}

/* Resets each setting that c's task or optimizer does not use to its usual
   value. config_resolve does the same for what its variant does not use. */
static void
drop_unused(Config *c)
{
    Config usual = task_start(c->task);
    for (const Setting *s = settings; s < settings + settings_built_in; s++)
        if (s->users && setting_unused(s, c))
            setting_set(s, c, setting_text(s, &usual));
}

/* Adds the runs of one point of the grid. */
static void
add_point(Grid *g, const Request *r, Config c)
{
    Plugin p = plugin_open(c.variant);
    const char *tasks = joined(given_to(r, "task"), ",");
    /* If `text` is among the tasks, --file is meant for it only. */
    if (index_in(tasks, "text") >= 0 && strcmp(c.task, "text") != 0)
        c.file = interned("");
    drop_unused(&c);
    Dataset data = dataset_open(&c); /* sets the hash of the file in c */
    Config given = c;
    config_resolve_for(&c, &p);
    observed_words(c.log); /* exits if the log setting is wrong */
    note_seen_answers(g, &c);
    check_start(g, &given, &c, data.sizes, p.variant);
    add_seeds(g, given_to(r, "seed"), c, variant_uses(p.variant));
}

/* Adds a point for every combination of the values given to the settings from
   settings[next] on; c already has the values of the settings before it.
   Settings that were not given are skipped, as are the task and the variant,
   which grid_of sets, and the seed, which add_seeds sets. */
static void
expand(Grid *g, const Request *r, Config c, int next)
{
    static const char *const set_elsewhere = "task variant seed";
    if (next == setting_count) {
        add_point(g, r, c);
        return;
    }
    const Setting *s = &settings[next];
    const Values *v = &r->given[next];
    if (!v->count || index_in(set_elsewhere, s->name) >= 0) {
        expand(g, r, c, next + 1);
        return;
    }
    for (int k = 0; k < v->count; k++) {
        setting_set(s, &c, v->text[k]);
        expand(g, r, c, next + 1);
    }
}

/* The line of this command in the experiment's record (experiment.h). */
static char *
manifest_of(const Request *r, const char *command)
{
    char *line = copy_text(command);
    if (sizeof(real) == sizeof(double))
        manifest_add(&line, "precision", "double");
    for (int i = 0; i < setting_count; i++) {
        char *values = joined(&r->given[i], ",");
        if (*values)
            manifest_add(&line, settings[i].name, values);
    }
    const struct {
        const char *key, *value;
    } more[] = {{"by", r->by},
                {"baseline", r->baseline},
                {"judge", r->judge},
                {"margin", r->margin},
                {"from", r->work.from}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i].value)
            manifest_add(&line, more[i].key, more[i].value);
    return line;
}

Grid
grid_of(const Request *r, const char *command)
{
    const int first_setting = 0;
    Grid g = {.line = manifest_of(r, command)};
    const Values *tasks_given = given_to(r, "task");
    const Values *variants = given_to(r, "variant");
    check_variants(r);
    for (int t = 0; t < tasks_given->count; t++)
        for (int v = 0; v < variants->count; v++) {
            Config c = r->base ? *r->base : task_start(tasks_given->text[t]);
            c.task = interned(tasks_given->text[t]);
            c.variant = interned(variants->text[v]);
            expand(&g, r, c, first_setting);
        }
    check_used(&g, r);
    return g;
}

/* Returns whether the command line of a run must name this setting. It need not
   if c has its usual value. Words, the seed and the settings of the shape are
   named even then, because the default of a width depends on other settings. */
static bool
needs_option(const Setting *s, const Config *c, const Config *usual)
{
    bool has_option = s->help; /* a setting without a help text has none */
    if (!has_option || setting_unused(s, c))
        return false;
    bool always = s->kind & WORDED || s->role & (OF_SEED | OF_SHAPE);
    return always || !setting_equal(s, c, usual);
}

void
plan_print(const Work *w, const Grid *g)
{
    for (int i = 0; i < g->count; i++) {
        const Config *c = &g->jobs[i].config;
        Config usual = task_start(c->task);
        printf(sizeof(real) == sizeof(double) ? "qkv-double train"
                                              : "qkv train");
        for (const Setting *s = settings; s < settings + setting_count; s++) {
            const char *value = setting_text(s, c);
            if (*value && needs_option(s, c, &usual))
                printf(" --%s %s", s->name, quoted(value));
        }
        printf(" --out %s%s\n", quoted(w->out),
               w->no_weights ? " --no-weights" : "");
    }
}
