/* jobs.c - runs in processes of their own, several at once.

   A process a run: what a plugin breaks is its own, and cores are used by
   having many of them. A worker sends each row of its log through its pipe, for
   those who watch: nothing hangs on it. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/threads.h"
#include "train/convert.h"
#include "train/train.h"
#include "run/run.h"
#include "driver/cli/child.h"
#include "driver/cli/memory.h"
#include "driver/sweep/jobs.h"
#include "driver/sweep/progress.h"
#include "driver/sweep/queue.h"

typedef struct Worker {
    Child child;
    const Job *job;
} Worker;

/* All workers, and what there is for them to do. */
typedef struct Crew {
    const Options *o;
    Worker *workers;
    int most;   /* at work at once */
    Limits may; /* each of them */
    const Job **queue;
    int total, next, done;
} Crew;

static void
send_row(void *to, LogRow row)
{
    (void)!write(*(int *)to, &row, sizeof row);
}

/* In the worker: one run, from the plugin to its directory. */
static _Noreturn void
work(const Crew *crew, const Job *job, int rows)
{
    const Options *o = crew->o;
    Config c = job->config;
    signal(SIGINT, SIG_IGN); /* the driver ends its workers */
    threads_start((int)o->threads);
    Plugin p = plugin_open(c.variant);
    config_cast(&c, &p);
    Dataset data = dataset_open(&c);
    if (c.plugin_hash != job->config.plugin_hash ||
        c.file_hash != job->config.file_hash)
        fail("its plugin or text has changed since this command began; the "
             "same command makes the runs of what is there now");
    memory_check(training_needs(&data, p.variant), crew->may);
    Levels l = dataset_levels(&data);
    Model *m = model_new(&c, data.sizes, p.variant);
    if (o->from) {
        Run begun = run_read(o->from);
        run_weights(&begun, m);
    }
    Conversion v;
    const char *start = strchr(c.same_start, ':');
    if (!o->from && start && start[1] && !start_alike(m, &v))
        fail("it cannot start as %s does: %s", c.same_start, v.why);
    Result r = train(m, &data, send_row, &rows);
    run_write(o->out, job->name, m, &r, &l, !o->no_weights, o->redo);
    result_free(&r);
    model_free(m);
    dataset_close(&data);
    _exit(end_well(0));
}

static void
start(Worker *w, const Crew *crew, const Job *job)
{
    w->job = job;
    if (child_begin(&w->child, 0, crew->may, true))
        work(crew, job, w->child.news);
}

/* Ends what is at work and the program, as the signal would have. */
static _Noreturn void
stop(const Crew *crew)
{
    for (int i = 0; i < crew->most; i++) {
        Worker *w = &crew->workers[i];
        if (!w->child.process)
            continue;
        kill(w->child.process, SIGKILL);
        waitpid(w->child.process, NULL, 0);
    }
    drafts_sweep(crew->o->out);
    progress_clear();
    note("stopped with %d of %d runs done; the same command goes on from there",
         crew->done, crew->total);
    exit(end_well(128 + interrupted));
}

/* Takes leave of a worker; true if it says that its run is there. */
static bool
finish(Worker *w)
{
    Ended e = child_end(&w->child, NULL, 0);
    if (!e.answered) {
        progress_clear();
        note("%s: %s", w->job->name, e.why);
    }
    return e.answered;
}

/* Gives idle workers the next jobs; how many are at work. */
static int
hand_out(Crew *crew)
{
    int busy = 0;
    for (int i = 0; i < crew->most; i++) {
        if (!crew->workers[i].child.process && crew->next < crew->total) {
            const Job *job = crew->queue[crew->next++];
            start(&crew->workers[i], crew, job);
            progress_begin(i, job, effort(&job->config));
        }
        busy += crew->workers[i].child.process != 0;
    }
    return busy;
}

/* Waits until a worker has something to say, or is to be looked after. */
static void
wait_for_news(Crew *crew, struct pollfd *ready)
{
    int patience = 1000;
    for (int i = 0; i < crew->most; i++) {
        Child *c = &crew->workers[i].child;
        int most = c->process ? child_patience(c) : patience;
        patience = most < patience ? most : patience;
        ready[i] = (struct pollfd){c->process ? c->news : -1, POLLIN, 0};
    }
    poll(ready, (nfds_t)crew->most, patience);
    if (interrupted)
        stop(crew);
}

int
jobs_run(const Options *o, const Grid *g, const bool *wanted)
{
    Crew crew = {.o = o};
    int failed = 0;
    double all;
    crew.queue = queue_of(g, wanted, &crew.total, &all);
    crew.most = o->jobs < crew.total ? (int)o->jobs : crew.total;
    crew.may = run_limits(o, crew.most);
    crew.workers = allocate((size_t)crew.most, sizeof *crew.workers);
    struct pollfd *ready = allocate((size_t)crew.most, sizeof *ready);
    notice_interrupts();
    progress_start(o, crew.most, crew.total, all);
    while (hand_out(&crew)) {
        wait_for_news(&crew, ready);
        for (int i = 0; i < crew.most; i++) {
            LogRow row = {0};
            Child *c = &crew.workers[i].child;
            if (ready[i].revents && child_read(c, &row, sizeof row)) {
                progress_row(i, row);
                continue;
            }
            if (!c->process || !child_gone(c))
                continue;
            bool there = finish(&crew.workers[i]);
            failed += !there;
            crew.done++;
            progress_done(i, there);
        }
    }
    if (interrupted)
        stop(&crew);
    end_notice();
    progress_clear();
    free(crew.workers);
    free(ready);
    free(crew.queue);
    return failed;
}
