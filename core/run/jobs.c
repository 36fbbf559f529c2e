/* jobs.c - several runs at once, each in its own process.

   What a plugin breaks is its own run, and many processes use many cores. A
   worker keeps the last row of its log in the memory that it shares with the
   driver, which shows it on the terminal. It writes its run into the driver's
   draft, and the driver, in which no plugin's code has run, reads it back and
   publishes: one wait for the disk serves all runs that have ended since the
   last one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algebra/convert.h"
#include "base/clock.h"
#include "base/report.h"
#include "config/schedule.h"
#include "run/plugin_process.h"
#include "run/jobs.h"
#include "run/progress.h"
#include "heart/fail.h"
#include "heart/threads.h"
#include "heart/train.h"
#include "run/run.h"

/* All workers, and the work for them. */
typedef struct Crew {
    const Work *w;
    Child *workers;
    const Job **at; /* what each one trains */
    int most;       /* workers */
    Limits may;     /* each of them */
    const Job **queue;
    int next;
    Draft *draft;      /* where they write */
    const Job **ready; /* runs that are complete there */
    int ready_count;
    double due;              /* when these are to be published */
    double effort, finished; /* of all runs, of those that are done */
    Progress progress;
} Crew;

/* Forward and backward, on one sequence. */
static double
sequence_effort(const Config *c)
{
    double d = c->d_model, h = c->heads ? c->heads : 1, n = c->length;
    double k = c->d_k ? c->d_k : d, v = c->d_v ? c->d_v : d;
    double token = 2 * d * h * (k + v) + n * h * (k + v) + 2 * d * d * c->mlp;
    return n * (c->layers + c->encoder) * token;
}

/* Validation and test go forward only, a third of the way. */
double
effort(const Config *c)
{
    double looked_at = (double)c->steps / c->log_every * c->validate + c->test;
    return ((double)c->steps * c->batch + looked_at / 3) * sequence_effort(c);
}

static int
longest_first(const void *a, const void *b)
{
    const Job *x = *(const Job *const *)a, *y = *(const Job *const *)b;
    double long_x = effort(&x->config), long_y = effort(&y->config);
    return long_x != long_y ? (long_x < long_y) - (long_x > long_y)
                            : (x > y) - (x < y);
}

const Job **
queue_of(const Grid *g, const bool *wanted, int *total)
{
    const Job **queue = allocate((size_t)g->count, sizeof *queue);
    *total = 0;
    for (int i = 0; i < g->count; i++)
        if (wanted[i])
            queue[(*total)++] = &g->jobs[i];
    qsort(queue, (size_t)*total, sizeof *queue, longest_first);
    return queue;
}

Limits
run_limits(const Work *w, int most)
{
    return (Limits){w->timeout ? w->timeout : INFINITY,
                    w->memory ? w->memory * 1e6 : memory_free() / most,
                    "; --timeout gives more",
                    w->memory  ? "--memory gives"
                    : most > 1 ? "with fewer --jobs there is more, each has"
                               : "this machine has"};
}

static void
check_memory(Needs n, Limits may)
{
    char a[32], b[32], c[32], files[32], all[32], have[32];
    double needed = n.weights + n.batch + n.step + n.files;
    if (needed > may.bytes)
        fail("it needs %s: weights, gradients and moments %s, a batch %s, the "
             "matrices of a step %s, its file and log %s; %s %s: make the "
             "model, the batch, the sequences or the file smaller",
             size_text(needed, all), size_text(n.weights, a),
             size_text(n.batch, b), size_text(n.step, c),
             size_text(n.files, files), may.whose, size_text(may.bytes, have));
}

Model *
run_prepare(Config c, Limits may, Dataset *data)
{
    Plugin p = plugin_open(c.variant);
    uint64_t plugin = c.plugin_hash, text = c.file_hash;
    config_cast(&c, &p);
    *data = dataset_open(&c);
    if (c.plugin_hash != plugin || c.file_hash != text)
        fail("its plugin or text has changed since this command began; the "
             "same command makes the runs of what is there now");
    check_memory(training_needs(data, p.variant), may);
    return model_new(&c, data->sizes, p.variant);
}

typedef struct Training {
    const Crew *crew;
    const Job *job;
    Observer observer;
    Solved solved;
    volatile LogRow *last;
    double begun, seconds; /* when training began, and until the last row */
} Training;

static bool
watch_run(void *training, const Result *so_far)
{
    Training *t = training;
    solved_watch(&t->solved, so_far);
    if (!so_far->logged)
        return true;
    LogRow row = so_far->rows[so_far->count - 1];
    observe(&t->observer);
    progress_row(t->crew->w, &t->crew->progress, t->job, t->last, row);
    t->seconds = now() - t->begun;
    return !out_of_patience(so_far, t->job->config.patience);
}

/* In the worker: one run, from its plugin to its directory. */
static void
work(const void *more, void *last)
{
    Training t = *(const Training *)more;
    const Job *job = t.job;
    const Work *w = t.crew->w;
    t.last = last;
    signal(SIGINT, SIG_IGN);    /* the driver ends its workers */
    close(t.crew->draft->lock); /* which is the driver's alone */
    thread_count = w->threads;
    Dataset data;
    Model *m = run_prepare(job->config, t.crew->may, &data);
    if (w->from) {
        Run begun = run_read(w->from);
        run_weights(&begun, m);
    }
    Conversion v;
    const char *start = likeness_of(m->config.same_start).as.variant;
    if (!w->from && *start && !start_alike(m, &v))
        fail("it cannot start as %s does: %s", start, v.why);
    t.observer = observer_new(m, &data);
    t.solved.threshold = m->config.threshold;
    t.begun = now();
    Finished e = {.result = train(m, &data, watch_run, &t)};
    e.solved_at = t.solved.at;
    e.seconds = t.seconds;
    run_write(t.crew->draft, job->name, m, &e, &t.observer, &data,
              !w->no_weights);
    observer_free(&t.observer);
    free(e.result.rows);
    model_free(m);
    dataset_close(&data);
}

/* A line for a run that is done. */
static void
tell(const Work *w, const Progress *p, const Job *job)
{
    Run r = run_read(within(w->out, job->name).text);
    fprintf(stderr, "%d/%d %s: test accuracy %.3f, loss %.3f\n", p->done,
            p->total, job->name, run_number(&r, "test_accuracy"),
            run_number(&r, "test_loss"));
    run_free(&r);
}

/* Gives the runs that are complete their places. Waiting for the disk takes no
   more than a tenth of the time, and nothing waits for long. */
static void
publish(Crew *crew)
{
    enum { APART = 10, LONGEST = 5 };
    double begun = now();
    crew->draft->on_disk = false;
    for (int i = 0; i < crew->ready_count; i++) {
        const Job *job = crew->ready[i];
        run_publish(crew->draft, job->name, crew->w->redo);
        crew->progress.done++;
        if (!crew->w->quiet && !progress_drawn(crew->w))
            tell(crew->w, &crew->progress, job);
    }
    crew->ready_count = 0;
    crew->due = now() + fmin(APART * (now() - begun), LONGEST);
}

/* Kills the workers and ends the program, as the signal would have. */
static void
stop(Crew *crew)
{
    for (int i = 0; i < crew->most; i++)
        if (crew->workers[i].process) {
            kill(crew->workers[i].process, SIGKILL);
            waitpid(crew->workers[i].process, NULL, 0);
        }
    publish(crew);
    draft_end(crew->draft);
    progress_clear();
    note("stopped with %d of %d runs done; the same command goes on from there",
         crew->progress.done, crew->progress.total);
    raise_interrupt(interrupted);
}

/* Gives idle workers the next jobs; returns how many are busy. */
static int
hand_out(Crew *crew)
{
    int busy = 0;
    for (int i = 0; i < crew->most; i++) {
        Child *w = &crew->workers[i];
        if (!w->process && crew->next < crew->progress.total) {
            crew->at[i] = crew->queue[crew->next++];
            child_begin(w, work, &(Training){.crew = crew, .job = crew->at[i]},
                        sizeof(LogRow), crew->may, true);
        }
        busy += w->process != 0;
    }
    return busy;
}

/* In a process, as it fails where others could not read the run later. */
static void
read_back(const void *more, void *answer)
{
    const Training *t = more;
    (void)answer;
    Run r = run_of(t->crew->draft->path.text, t->job->name, &t->job->config);
    run_free(&r);
}

/* A worker has ended; if it failed, says why. */
static void
finish(Crew *crew, Child *w)
{
    const Job *job = crew->at[w - crew->workers];
    Training t = {.crew = crew, .job = job};
    Ended e = child_end(w, NULL);
    if (e.answered)
        e = in_child(read_back, &t, NULL, 0, limits(INFINITY, INFINITY));
    if (interrupted && !e.answered)
        return; /* what interrupts the driver may have ended either of them */
    crew->finished += effort(&job->config);
    if (e.answered) {
        crew->ready[crew->ready_count++] = job;
        return;
    }
    discard(within(crew->draft->path.text, job->name).text);
    crew->progress.done++;
    crew->progress.failed++;
    progress_clear();
    note("%s: %s", job->name, e.why);
}

/* Shows how far all runs are, and the first busy worker's. */
static void
look(Crew *crew)
{
    Progress *p = &crew->progress;
    double worked = crew->finished;
    p->name = NULL;
    for (int i = crew->most - 1; i >= 0; i--) {
        if (!crew->workers[i].process)
            continue;
        const Config *c = &crew->at[i]->config;
        p->last = (const void *)crew->workers[i].report->answer;
        p->name = crew->at[i]->name;
        p->steps = c->steps;
        worked += effort(c) * p->last->step / fmax(c->steps, 1);
    }
    p->share = worked / fmax(crew->effort, 1);
    progress_draw(p);
}

int
jobs_run(const Work *w, const Grid *g, const bool *wanted)
{
    Crew crew = {.w = w, .progress = {.start = now()}};
    bool drawn = progress_drawn(w);
    int total;
    crew.queue = queue_of(g, wanted, &total);
    for (int i = 0; i < total; i++)
        crew.effort += effort(&crew.queue[i]->config);
    crew.progress.total = total;
    crew.most = w->jobs < total ? w->jobs : total;
    crew.may = run_limits(w, crew.most);
    crew.workers = allocate((size_t)crew.most, sizeof *crew.workers);
    crew.at = allocate((size_t)crew.most, sizeof *crew.at);
    crew.ready = allocate((size_t)total, sizeof *crew.ready);
    crew.draft = draft_begin(w->out, "runs");
    notice_interrupts();
    while (hand_out(&crew)) {
        if (crew.ready_count && now() >= crew.due)
            publish(&crew);
        if (drawn)
            look(&crew);
        Child *w = children_wait(crew.workers, crew.most, drawn ? 0.1 : 1);
        if (w)
            finish(&crew, w);
        if (interrupted)
            stop(&crew);
    }
    publish(&crew);
    draft_end(crew.draft);
    end_notice();
    progress_clear();
    free(crew.ready);
    free(crew.workers);
    free(crew.at);
    free(crew.queue);
    return crew.progress.failed;
}
