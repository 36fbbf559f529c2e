/* jobs.c - runs in processes of their own, several at once.

   A process a run: what a plugin breaks is its own, and cores are used by
   having many of them. A worker sends each row of its log through a pipe; its
   stderr goes into a file, whose last line says why it failed. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "child.h"
#include "convert.h"
#include "fail.h"
#include "jobs.h"
#include "progress.h"
#include "timing.h"
#include "run.h"
#include "threads.h"
#include "train.h"

typedef struct Worker {
    pid_t process; /* 0: idle */
    int rows;      /* the pipe's end */
    FILE *said;    /* its stderr */
    const Job *job;
    double end; /* when --timeout is over */
    bool late;  /* it was ended for that */
} Worker;

static void
send_row(void *to, LogRow row)
{
    if (write(*(int *)to, &row, sizeof row) != sizeof row)
        fail("the driver is gone: %s", strerror(errno));
}

/* In the worker: one run, from the plugin to its directory. */
static _Noreturn void
work(const Options *o, const Job *job, int rows)
{
    Config c = job->config;
    signal(SIGINT, SIG_IGN); /* the driver ends its workers */
    signal(SIGTERM, SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* do not outlive the driver */
#endif
    threads_start((int)o->threads);
    Plugin p = plugin_open(c.variant);
    config_cast(&c, &p);
    Source s = source_open(&c);
    Levels l = source_levels(&s);
    Model *m = model_new(&c, s.sizes, p.variant);
    if (o->from) {
        Run begun = run_read(o->from);
        run_weights(&begun, m);
    }
    Conversion v;
    const char *start = strchr(c.same_start, ':');
    if (!o->from && start && start[1] && !start_alike(m, &v))
        fail("it cannot start as %s does: %s", c.same_start, v.why);
    Result r = train(m, &s, send_row, &rows);
    run_write(o->out, job->name, m, &r, &l, !o->no_weights, o->redo);
    result_free(&r);
    model_free(m);
    source_close(&s);
    fflush(NULL);
    _exit(0);
}

static void
start(Worker *w, const Options *o, const Job *job)
{
    int ends[2];
    *w = (Worker){.job = job, .said = tmpfile()};
    if (!w->said || pipe(ends))
        fail("no pipe to %s: %s; take fewer --jobs", job->name,
             strerror(errno));
    fflush(NULL);
    w->process = fork();
    if (w->process < 0)
        fail("no process for %s: %s; take fewer --jobs", job->name,
             strerror(errno));
    if (w->process == 0) {
        dup2(fileno(w->said), STDERR_FILENO);
        dup2(fileno(w->said), STDOUT_FILENO);
        close(ends[0]);
        work(o, job, ends[1]);
    }
    close(ends[1]);
    w->rows = ends[0];
    w->end = o->timeout > 0 ? now() + o->timeout : INFINITY;
}

/* Ends the runs whose time is over; returns the milliseconds until the next
   one's is, -1 for never. */
static int
end_late(Worker *workers, int most)
{
    double soonest = INFINITY, time = now();
    for (int i = 0; i < most; i++) {
        Worker *w = &workers[i];
        if (!w->process || w->late)
            continue;
        if (w->end <= time) {
            w->late = true;
            kill(w->process, SIGKILL);
        } else if (w->end < soonest)
            soonest = w->end;
    }
    return isinf(soonest) ? -1 : (int)ceil(1000 * (soonest - time));
}

/* The last line of a worker's stderr, or what ended it. */
static void
reason(const Worker *w, int status, char why[512])
{
    char line[512];
    rewind(w->said);
    *why = 0;
    while (fgets(line, sizeof line, w->said)) {
        const char *from = strncmp(line, "qkv: ", 5) ? line : line + 5;
        snprintf(why, sizeof line, "%.*s", (int)strcspn(from, "\n"), from);
    }
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (*why && (!signal || signal == SIGABRT))
        return;
    if (signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE ||
        signal == SIGILL || signal == SIGABRT)
        snprintf(why, sizeof line, "the variant crashed: %s",
                 strsignal(signal));
    else if (signal)
        snprintf(why, sizeof line,
                 "ended from outside: %s (out of memory, a limit, or stopped "
                 "by hand?)",
                 strsignal(signal));
    else
        snprintf(why, sizeof line, "the variant ended the process, status %d",
                 WEXITSTATUS(status));
}

/* Ends what is at work and the program, as the signal would have. */
static _Noreturn void
stop(Worker *workers, int most, const Options *o, int done, int total)
{
    for (int i = 0; i < most; i++)
        if (workers[i].process) {
            kill(workers[i].process, SIGKILL);
            waitpid(workers[i].process, NULL, 0);
            run_abandon(o->out, workers[i].job->name, workers[i].process);
        }
    progress_clear();
    note("stopped with %d of %d runs done; the same command goes on from there",
         done, total);
    exit(128 + interrupted);
}

/* Takes leave of a worker; true if its run is there. */
static bool
finish(Worker *w, const Options *o)
{
    int status;
    char why[512];
    waitpid(w->process, &status, 0);
    bool there = WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                 run_exists(o->out, w->job->name);
    if (!there) {
        run_abandon(o->out, w->job->name, w->process);
        reason(w, status, why);
        if (w->late)
            snprintf(why, sizeof why,
                     "took longer than --timeout %.10g seconds, and was ended",
                     o->timeout);
        progress_clear();
        note("%s: %s", w->job->name, why);
    }
    close(w->rows);
    fclose(w->said);
    w->process = 0;
    return there;
}

/* Gives idle workers the next of `total` jobs; how many are at work. */
static int
hand_out(Worker *workers, int most, const Options *o, const Job *const *queue,
         int total, int *next)
{
    int busy = 0;
    for (int i = 0; i < most; i++) {
        if (!workers[i].process && *next < total)
            start(&workers[i], o, queue[(*next)++]);
        busy += workers[i].process != 0;
    }
    return busy;
}

/* About how long a run takes, in a unit of its own: multiply-adds. */
static double
effort(const Config *c)
{
    double d = c->d_model, h = c->heads ? c->heads : 1, n = c->length;
    double k = c->d_k ? c->d_k : d, v = c->d_v ? c->d_v : d;
    double token = 2 * d * h * (k + v) + n * h * (k + v) + 2 * d * d * c->mlp;
    return (double)c->steps * c->batch * n * (c->layers + c->encoder) * token;
}

static int
longest_first(const void *a, const void *b)
{
    const Job *x = *(const Job *const *)a, *y = *(const Job *const *)b;
    double long_x = effort(&x->config), long_y = effort(&y->config);
    return long_x != long_y ? (long_x < long_y) - (long_x > long_y)
                            : (x > y) - (x < y);
}

/* The jobs to be done, the longest first: so none is left at work alone for
   long. To be freed. */
static const Job **
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

int
jobs_run(const Options *o, const Grid *g, const bool *wanted)
{
    int most = (int)o->jobs, next = 0, failed = 0, total = 0, done = 0;
    Worker *workers = allocate((size_t)most, sizeof *workers);
    struct pollfd *ready = allocate((size_t)most, sizeof *ready);
    const Job **queue = queue_of(g, wanted, &total);
    notice_interrupts();
    progress_start(total, o->quiet);
    while (hand_out(workers, most, o, queue, total, &next)) {
        for (int i = 0; i < most; i++)
            ready[i] = (struct pollfd){
                workers[i].process ? workers[i].rows : -1, POLLIN, 0};
        int events = poll(ready, (nfds_t)most, end_late(workers, most));
        if (interrupted)
            stop(workers, most, o, done, total);
        if (events < 0 && errno != EINTR)
            fail("waiting for the runs: %s", strerror(errno));
        for (int i = 0; i < most; i++) {
            LogRow row;
            if (events < 0 || !ready[i].revents)
                continue;
            if (read(ready[i].fd, &row, sizeof row) == sizeof row) {
                progress_row(done, workers[i].job, row);
                continue;
            }
            bool there = finish(&workers[i], o);
            failed += !there;
            done++;
            if (there)
                progress_done(done, o, workers[i].job);
        }
    }
    progress_clear();
    free(workers);
    free(ready);
    free(queue);
    return failed;
}
