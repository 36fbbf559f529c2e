/* jobs.c - trains the runs of a grid that do not exist yet, several at once,
   each in its own process.

   The process of a run is called a worker; this process, which starts the
   workers, is the driver. So a plugin that crashes ends only its own run, and
   several workers use several cores. A worker keeps the last row of its log in
   memory that it shares with the driver. On a terminal, the driver shows the
   row of one busy worker in a line, which it rewrites:

       57 of 140 runs, step 250 of 1000, loss 1.25

   If stderr is no terminal, the driver prints a line for each finished run.
   With --quiet it shows neither. A worker writes its run into the driver's
   draft, so that a killed worker leaves no partial run. */
#include <string.h>
#include <unistd.h>

#include "algebra/convert.h"
#include "fast/threads.h"
#include "run/jobs.h"
#include "run/plugin_process.h"
#include "training/solved_or_diverged.h"

/* The workers, and the grid whose jobs they do. It is set by train_all and
   changed only by the driver. It is static because workers, which are forked,
   use it too, and get only their job as an argument. */
static struct Crew {
    const Work *w;
    Grid *grid;
    int next; /* each job before this one is done or was given to a worker */
    Child *workers;
    int worker_count;
    double bytes; /* the memory limit of each worker */
    Draft *draft; /* the workers write their runs into it */
    int total;    /* how many runs are to be trained */
    int ended;    /* how many of these have ended, failed ones included */
    int failed;
    bool drawn; /* true if progress is shown on a terminal */
} crew;

void (*row_logged)(const Work *w, const Job *job, int runs, LogRow row);

/* Loads the weights of a run into m: unchanged if m has the run's variant,
   shape and embedding, else converted. */
static void
load_weights(Model *m, const Run *source)
{
    Dataset data;
    Conversion result; /* says why, if the conversion fails */
    if (config_equal(&m->config, &source->config, OF_VARIANT | OF_SHAPE) &&
        m->config.embed == source->config.embed) {
        run_weights(source, m);
        return;
    }
    Model *from = run_model(source, &data);
    if (!convert_model(from, m, &result))
        fail("%s cannot be converted into %s: %s", source->path,
             plugin_name(m->config.variant), result.why);
    model_free(from);
}

/* In a worker: opens the plugin and the data of a run, and makes its model. The
   initial weights may come from another run (--from) or imitate another variant
   (--same-start). */
static Model *
make_model(const Config *c, Dataset *data)
{
    Conversion result; /* says why, if initialise_same_start fails */
    Model *m = model_open(*c, data);
    if (m->config.plugin_hash != c->plugin_hash ||
        m->config.file_hash != c->file_hash)
        fail("its plugin or its text was changed after this command began; run "
             "the same command again");
    if (crew.w->from) {
        Run source = run_read(crew.w->from);
        load_weights(m, &source);
    } else if (*c->same_start && !initialise_same_start(m, &result))
        fail("it cannot start as %s does: %s", c->same_start, result.why);
    return m;
}

/* A run that is being trained, in its worker. */
typedef struct Training {
    const Job *job;
    Observer observer;
    Solved solved;
    Finished end;
    double start;          /* the time when training began (clock_seconds) */
    volatile LogRow *last; /* the last row of the log, shared with the driver */
} Training;

/* train() calls this after each step. Returns true, so that training continues.
   A step that completes a row of the log is observed and shown. The last step
   always does, so t->end.seconds is in the end the time of the training. */
static bool
watch_run(void *training, const Result *so_far)
{
    Training *t = training;
    solved_update(&t->solved, so_far);
    observe_step(&t->observer);
    if (!so_far->logged)
        return true;
    observe(&t->observer);
    *t->last = so_far->rows[so_far->count - 1];
    if (row_logged)
        row_logged(crew.w, t->job, crew.total, *t->last);
    t->end.seconds = clock_seconds() - t->start;
    return true;
}

/* In a worker: trains the run of a job, and writes it into a hidden directory
   of the driver's draft. This directory is a draft, too, from which draft_end
   moves the run to its place when it is whole. `last` is the worker's answer,
   the last row of the log. */
static void
train_run(const void *job, void *last)
{
    Training t = {.job = job, .last = last};
    Dataset data;
    char *hidden = format_text(".%s", t.job->name);
    const int no_lock = -1; /* the driver's lock keeps the whole draft */
    Draft own = {.path = new_directory(crew.draft->path, hidden),
                 .place = crew.draft->place,
                 .lock = no_lock};
    close(crew.draft->lock); /* fork copied it; only the driver keeps a lock */
    thread_count = crew.w->threads;
    Model *m = make_model(&t.job->config, &data);
    t.solved.threshold = m->config.threshold;
    t.observer = observer_new(m, &data);
    t.start = clock_seconds();
    t.end.result = train(m, &data, watch_run, &t);
    t.end.solved_at = t.solved.step;
    char *run = run_write(&own, t.job->name, m, &t.end, &t.observer, &data);
    if (!crew.w->no_weights)
        matrices_write(run, "weights", m, m->values);
    /* If another command has meanwhile trained the same run, that run stays,
       because the command may be reading it. A stale run is replaced. */
    bool is_there = run_exists(crew.w->out, t.job->name);
    draft_end(&own, is_there && !t.job->stale ? KEEP_OLD : REPLACE_OLD);
}

/* On a terminal, rewrites the line that shows how many runs have ended, and how
   far the run of the first busy worker is. */
static void
draw_line(void)
{
    const Child *busy = crew.workers;
    if (!crew.drawn)
        return;
    while (!busy->process) /* train_all draws only while a worker is busy */
        busy++;
    const Job *job = busy->argument;
    const volatile LogRow *last = (const void *)busy->report->answer;
    fprintf(stderr, "\r%d of %d runs, step %d of %d, loss %.4g\033[K",
            crew.ended, crew.total, last->step, job->config.steps, last->loss);
}

/* Erases the progress line before something else is written to stderr. */
static void
clear_line(void)
{
    if (crew.drawn)
        fputs("\r\033[K", stderr);
}

/* Returns the next job that is not done and that no worker has been given; NULL
   if there are no more. */
static const Job *
next_job(void)
{
    while (crew.next < crew.grid->count) {
        const Job *job = &crew.grid->jobs[crew.next];
        crew.next++;
        if (!job->done)
            return job;
    }
    return NULL;
}

/* Gives each idle worker the next job, while there are any. Returns whether any
   worker is busy. */
static bool
give_jobs(void)
{
    bool busy = false;
    for (Child *w = crew.workers; w < crew.workers + crew.worker_count; w++) {
        bool idle = w->process == 0;
        const Job *job = idle ? next_job() : NULL;
        if (job)
            child_begin(w, train_run, job, sizeof(LogRow), crew.bytes,
                        DISCARD_OUTPUT);
        busy |= w->process != 0;
    }
    return busy;
}

/* Counts the job of a worker that has ended. Prints why it failed or, unless
   there is a progress line or --quiet was given, that it is finished. After
   that the worker is idle. */
static void
finish_job(Child *w)
{
    Job *job = (Job *)w->argument; /* it is const only for the worker */
    Ended e = child_end(w);
    job->done = e.answered;
    crew.ended++;
    crew.failed += !e.answered;
    clear_line();
    if (!e.answered)
        note("%s: %s", job->name, e.why);
    else if (!crew.w->quiet && !crew.drawn)
        fprintf(stderr, "%d/%d %s\n", crew.ended, crew.total, job->name);
}

/* Trains the jobs that are not done, `total` in number. Returns how many
   failed. */
static int
train_all(const Work *w, Grid *g, int total)
{
    const double megabyte = 1e6;
    int most = w->jobs < total ? w->jobs : total; /* trained at once */
    crew = (struct Crew){
        .w = w,
        .grid = g,
        .worker_count = most,
        .bytes = w->memory ? w->memory * megabyte : machine_memory() / most,
        .workers = allocate((size_t)most, sizeof *crew.workers),
        .draft = draft_begin(w->out, "runs"),
        .total = total,
        .drawn = isatty(STDERR_FILENO) && !w->quiet};
    while (give_jobs()) {
        draw_line();
        Child *ended = children_wait(crew.workers, most);
        if (ended)
            finish_job(ended);
    }
    draft_end(crew.draft, REPLACE_OLD);
    clear_line();
    return crew.failed;
}

/* Finds out whether the job's run exists. A run that another build of its
   plugin made is stale, not done: it is trained again, and the old run stays
   until the new one is finished. */
static void
look_for_run(const Work *w, Job *job)
{
    if (!run_exists(w->out, job->name))
        return;
    Run r = run_read(within(w->out, job->name));
    job->stale = r.config.plugin_hash != job->config.plugin_hash;
    job->done = !job->stale;
}

Experiment
runs_expected(const Grid *g)
{
    Experiment e = {.runs = allocate((size_t)g->count, sizeof *e.runs),
                    .count = g->count};
    values_add(&e.record, copy_text(g->line));
    for (int i = 0; i < g->count; i++)
        e.runs[i] = (Run){.name = g->jobs[i].name, .config = g->jobs[i].config};
    return e;
}

Experiment
runs_finished(const Work *w, const Grid *g)
{
    Experiment e = {.runs = allocate((size_t)g->count, sizeof *e.runs)};
    values_add(&e.record, copy_text(g->line));
    for (int i = 0; i < g->count; i++)
        if (g->jobs[i].done)
            e.runs[e.count++] = run_read(within(w->out, g->jobs[i].name));
    return e;
}

/* A stale run counts as missing, because it is trained again. */
int
run_missing(const Work *w, Grid *g)
{
    int missing = 0, stale = 0, failed = 0;
    experiment_open(w->out, g->line);
    for (int i = 0; i < g->count; i++) {
        Job *job = &g->jobs[i];
        look_for_run(w, job);
        missing += !job->done;
        stale += job->stale;
    }
    if (stale)
        note("%d of %d runs were trained with another build of their plugin; "
             "training them again",
             stale, g->count);
    if (missing < g->count && !w->quiet)
        note("%d of %d runs are already in %s", g->count - missing, g->count,
             w->out);
    if (missing)
        failed = train_all(w, g, missing);
    if (failed)
        note("%d of %d runs failed; give the same command to try them again",
             failed, g->count);
    return failed > 0;
}
