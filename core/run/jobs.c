/* jobs.c - several runs at once, each in its own process.

   What a plugin breaks is its own run, and many processes use many cores. A
   worker keeps the last row of its log in the memory that it shares with the
   driver, which shows it on the terminal. It writes its run into the driver's
   draft, and the driver publishes: one wait for the disk serves all runs that
   have ended since the last one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
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
    double due; /* when these are to be published */
    Progress progress;
} Crew;

/* Roughly how long a run takes, in multiply-adds. Validation and test go
   forward only, a third of the way. */
static double
effort(const Config *c)
{
    double d = c->d_model, h = c->heads ? c->heads : 1, n = c->length;
    double k = c->d_k ? c->d_k : d, v = c->d_v ? c->d_v : d;
    double token = 2 * d * h * (k + v) + n * h * (k + v) + 2 * d * d * c->mlp;
    double looked_at = (double)c->steps / c->log_every * c->validate + c->test;
    return ((double)c->steps * c->batch + looked_at / 3) * n *
           (c->layers + c->encoder) * token;
}

/* The longest first, so that none runs alone at the end. */
static int
longest_first(const void *a, const void *b)
{
    const Job *x = *(const Job *const *)a, *y = *(const Job *const *)b;
    double long_x = effort(&x->config), long_y = effort(&y->config);
    return long_x != long_y ? (long_x < long_y) - (long_x > long_y)
                            : (x > y) - (x < y);
}

/* In a run's own process: opens its plugin and its data, and makes its model.
   Fails if training needs more memory than the limit. */
static Model *
prepare(Config c, Limits may, Dataset *data)
{
    Plugin p = plugin_open(c.variant);
    uint64_t plugin = c.plugin_hash, text = c.file_hash;
    config_cast(&c, &p);
    *data = dataset_open(&c);
    if (c.plugin_hash != plugin || c.file_hash != text)
        fail("its plugin or text has changed since this command began; the "
             "same command makes the runs of what is there now");
    Needs n = training_needs(data, p.variant);
    double needed = n.weights + n.batch + n.step + n.files;
    if (needed > may.bytes)
        fail("it needs %.0f MB, and may have %.0f: make the model, the batch, "
             "the sequences or the file smaller; --memory and --jobs limit it",
             needed / 1e6, may.bytes / 1e6);
    return model_new(&c, data->sizes, p.variant);
}

typedef struct Training {
    const Crew *crew;
    const Job *job;
    Observer observer;
    Solved solved;
    Finished end;
    double begun; /* when training began */
    volatile LogRow *last;
} Training;

static bool
watch_run(void *training, const Result *so_far)
{
    Training *t = training;
    solved_watch(&t->solved, so_far);
    if (!so_far->logged)
        return true;
    observe(&t->observer);
    progress_row(t->crew->w, &t->crew->progress, t->job, t->last,
                 so_far->rows[so_far->count - 1]);
    t->end.seconds = now() - t->begun;
    return !out_of_patience(so_far, t->job->config.patience);
}

/* Gives the model the weights that it begins with, if they are not random. */
static void
begin_weights(const Work *w, Model *m)
{
    Conversion v;
    if (w->from) {
        Run begun = run_read(w->from);
        run_weights(&begun, m);
    } else if (*likeness_of(m->config.same_start).as.variant &&
               !start_alike(m, &v))
        fail("it cannot start as --same-start asks: %s", v.why);
}

/* In the worker: one run, from its plugin to its directory. */
static void
work(const void *more, void *last)
{
    Training t = *(const Training *)more;
    const Work *w = t.crew->w;
    Dataset data;
    signal(SIGINT, SIG_IGN);    /* the driver ends its workers */
    close(t.crew->draft->lock); /* which is only the driver's */
    thread_count = w->threads;
    Model *m = prepare(t.job->config, t.crew->may, &data);
    begin_weights(w, m);
    t.last = last;
    t.solved.threshold = m->config.threshold;
    t.observer = observer_new(m, &data);
    t.begun = now();
    t.end.result = train(m, &data, watch_run, &t);
    t.end.solved_at = t.solved.at;
    run_write(t.crew->draft, t.job->name, m, &t.end, &t.observer, &data,
              !w->no_weights);
}

/* Gives the runs that are complete their places. Waiting for the disk takes no
   more than a tenth of the time, and nothing waits for long. */
static void
publish(Crew *crew)
{
    enum { APART = 10, LONGEST = 5 };
    const Work *w = crew->w;
    double begun = now();
    crew->draft->on_disk = false;
    for (int i = 0; i < crew->ready_count; i++) {
        const char *name = crew->ready[i]->name;
        run_publish(crew->draft, name, w->redo);
        crew->progress.done++;
        if (!w->quiet && !progress_drawn(w))
            fprintf(stderr, "%d/%d %s\n", crew->progress.done,
                    crew->progress.total, name);
    }
    crew->ready_count = 0;
    crew->due = now() + fmin(APART * (now() - begun), LONGEST);
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

/* A worker has ended; if it failed, says why. */
static void
finish(Crew *crew, Child *w)
{
    const Job *job = crew->at[w - crew->workers];
    Ended e = child_end(w, NULL);
    if (interrupted && !e.answered)
        return; /* what interrupts the driver may have ended it */
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
    p->name = NULL;
    for (int i = 0; i < crew->most && !p->name; i++)
        if (crew->workers[i].process) {
            p->last = (const void *)crew->workers[i].report->answer;
            p->name = crew->at[i]->name;
            p->steps = crew->at[i]->config.steps;
        }
    progress_draw(p);
}

int
jobs_run(const Work *w, const Grid *g, const bool *wanted)
{
    Crew crew = {.w = w};
    bool drawn = progress_drawn(w);
    int total = 0;
    crew.queue = allocate((size_t)g->count, sizeof *crew.queue);
    for (int i = 0; i < g->count; i++)
        if (wanted[i])
            crew.queue[total++] = &g->jobs[i];
    qsort(crew.queue, (size_t)total, sizeof *crew.queue, longest_first);
    crew.progress.total = total;
    crew.most = w->jobs < total ? w->jobs : total;
    crew.may =
        (Limits){w->timeout ? w->timeout : INFINITY,
                 w->memory ? w->memory * 1e6 : memory_free() / crew.most};
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
        Child *w = children_wait(crew.workers, crew.most);
        if (w)
            finish(&crew, w);
        for (int i = 0; interrupted && i < crew.most; i++)
            if (crew.workers[i].process) {
                kill(crew.workers[i].process, SIGKILL);
                crew.next = total;
            }
    }
    publish(&crew);
    draft_end(crew.draft);
    end_notice();
    progress_clear();
    if (interrupted) {
        note("stopped with %d of %d runs done; the same command goes on from "
             "there",
             crew.progress.done, total);
        raise_interrupt(interrupted);
    }
    free(crew.ready);
    free(crew.workers);
    free(crew.at);
    free(crew.queue);
    return crew.progress.failed;
}
