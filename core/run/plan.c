/* plan.c - qkv compare --plan: the runs as command lines, and an estimate of
   their cost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/plugin_process.h"
#include "run/jobs.h"
#include "run/plan.h"
#include "heart/fail.h"
#include "run/run.h"

/* What runs will take. */
typedef struct Estimate {
    int runs;     /* to do */
    bool untimed; /* no number below is known */
    double seconds, longest;
    double memory, bytes, files; /* of one run */
} Estimate;

enum { PATIENCE = 600, STEPS = 10 };

typedef struct Trial {
    const Work *w;
    const Config *c;
} Trial;

/* Trains the first steps of a run. */
static void
try_run(const void *more, void *answer)
{
    const Trial *trial = more;
    Estimate *e = answer;
    Config c = *trial->c;
    Dataset data;
    c.steps = c.steps < STEPS ? c.steps : STEPS;
    c.warmup = 0;
    Model *m = run_prepare(c, run_limits(trial->w, 1), &data);
    double begun = now();
    train(m, &data, NULL, NULL);
    e->longest = (now() - begun) * effort(trial->c) / effort(&c);
    Needs n = training_needs(&data, m->variant);
    e->memory = n.weights + n.batch + n.step + n.files;
    e->files = m->count + 4;
    e->bytes = (double)m->parameters * sizeof(real) + 128. * m->count + 2500 +
               60. * trial->c->steps / c.log_every;
}

/* Times the longest of the missing runs; the others are as much shorter as they
   have less to do. */
static Estimate
estimate(const Work *w, const Grid *g)
{
    Estimate e = {0};
    bool *wanted = allocate((size_t)g->count, sizeof *wanted);
    for (int i = 0; i < g->count; i++)
        wanted[i] = !run_exists(w->out, g->jobs[i].name);
    int runs;
    const Job **queue = queue_of(g, wanted, &runs);
    if (runs) {
        Trial trial = {w, &queue[0]->config};
        Ended end =
            in_child(try_run, &trial, &e, sizeof e, limits(PATIENCE, INFINITY));
        if (!end.answered)
            note("%s cannot be timed here: %s", queue[0]->name, end.why);
        e.untimed = !end.answered;
    }
    for (int i = 0; i < runs; i++)
        e.seconds +=
            e.longest * effort(&queue[i]->config) / effort(&queue[0]->config);
    e.runs = runs;
    free(queue);
    free(wanted);
    return e;
}

/* "12 s", "3.4 minutes", "7.1 hours" */
static const char *
time_text(double seconds, char text[32])
{
    if (seconds < 90)
        snprintf(text, 32, "%.2g s", seconds);
    else if (seconds < 90 * 60)
        snprintf(text, 32, "%.2g minutes", seconds / 60);
    else
        snprintf(text, 32, seconds < 36000 ? "%.2g hours" : "%.0f hours",
                 seconds / 3600);
    return text;
}

static void
say_estimate(const Work *w, const Grid *g, const Estimate *e)
{
    char bytes[32], memory[32], total[32], longest[32];
    bool weights = !w->no_weights;
    if (e->runs < g->count)
        note("%d of %d runs are in %s already", g->count - e->runs, g->count,
             w->out);
    if (e->runs && !e->untimed)
        note("%d runs to do: about %s of a core like this one, the longest %s, "
             "which was timed; %s on disk in %.0f files; %s of memory for each",
             e->runs, time_text(e->seconds, total),
             time_text(e->longest, longest),
             size_text(e->runs * (weights ? e->bytes : 4000), bytes),
             e->runs * (weights ? e->files : 4), size_text(e->memory, memory));
}

/* A line for each run: the settings in which it differs from its task's. */
static void
print_lines(const Work *w, const Grid *g)
{
    Config usual; /* of its task */
    for (int i = 0; i < g->count; i++) {
        const Config *c = &g->jobs[i].config;
        if (!i || c->task != g->jobs[i - 1].config.task) {
            usual = task_start(c->task);
        }
        Manifest asked = manifest_begin("train");
        for (int s = 0; s < setting_count; s++) {
            char value[VALUE_SIZE];
            bool always = setting_worded(&settings[s]) ||
                          !strcmp(settings[s].name, "seed");
            setting_print(&settings[s], c, value);
            if (settings[s].help && *value &&
                !setting_unused(&settings[s], c) &&
                !setting_follows(&settings[s], c) &&
                (always || !setting_equal(&settings[s], c, &usual)))
                manifest_add(&asked, settings[s].name, value);
        }
        char *line = manifest_command(&asked, w->out);
        printf("%s", line);
        free(line);
        manifest_free(&asked);
        if (w->threads > 1)
            printf(" --threads %d", w->threads);
        if (w->timeout > 0)
            printf(" --timeout %d", w->timeout);
        if (w->memory > 0)
            printf(" --memory %d", w->memory);
        printf("%s%s%s\n", w->no_weights ? " --no-weights" : "",
               w->redo ? " --redo" : "", w->keep ? " --keep" : "");
    }
}

void
plan_print(const Work *w, const Grid *g)
{
    print_lines(w, g);
    if (w->quiet)
        return;
    Estimate e = estimate(w, g);
    say_estimate(w, g, &e);
}
