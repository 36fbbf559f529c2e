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
#include "memory.h"
#include "progress.h"
#include "queue.h"
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

/* All workers, and what there is for them to do. */
typedef struct Crew {
    const Options *o;
    Worker *workers;
    int most;     /* at work at once */
    double share; /* of the memory, for each of them */
    const Job **queue;
    int total, next, done;
} Crew;

static void
send_row(void *to, LogRow row)
{
    if (write(*(int *)to, &row, sizeof row) != sizeof row)
        fail("the driver is gone: %s", strerror(errno));
}

/* In the worker: one run, from the plugin to its directory. */
static _Noreturn void
work(const Crew *crew, const Job *job, int rows)
{
    const Options *o = crew->o;
    Config c = job->config;
    signal(SIGINT, SIG_IGN); /* the driver ends its workers */
    signal(SIGTERM, SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* do not outlive the driver */
#endif
    memory_limit(o);
    threads_start((int)o->threads);
    Plugin p = plugin_open(c.variant);
    config_cast(&c, &p);
    Source s = source_open(&c);
    if (c.plugin_hash != job->config.plugin_hash ||
        c.file_hash != job->config.file_hash)
        fail("its plugin or text has changed since this command began; the "
             "same command makes the runs of what is there now");
    memory_check(o, training_needs(&c, s.sizes, p.variant), crew->share,
                 crew->most);
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
start(Worker *w, const Crew *crew, const Job *job)
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
        work(crew, job, ends[1]);
    }
    close(ends[1]);
    w->rows = ends[0];
    double limit = crew->o->timeout;
    w->end = limit > 0 ? now() + limit : INFINITY;
}

/* Ends the runs whose time is over; returns the milliseconds until the next
   one's is, or until to look up from waiting: a signal may have come just
   before it began, and a process that a plugin left behind may hold the pipe of
   a worker that is gone. */
static int
end_late(Crew *crew)
{
    double soonest = INFINITY, time = now();
    for (int i = 0; i < crew->most; i++) {
        Worker *w = &crew->workers[i];
        if (!w->process || w->late)
            continue;
        if (w->end <= time) {
            w->late = true;
            kill(w->process, SIGKILL);
        } else if (w->end < soonest)
            soonest = w->end;
    }
    return (int)ceil(1000 * fmin(soonest - time, LOOK_UP));
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
                 crash_words(signal));
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
stop(const Crew *crew)
{
    for (int i = 0; i < crew->most; i++) {
        const Worker *w = &crew->workers[i];
        if (!w->process)
            continue;
        kill(w->process, SIGKILL);
        waitpid(w->process, NULL, 0);
        run_abandon(crew->o->out, w->job->name, w->process);
    }
    progress_clear();
    note("stopped with %d of %d runs done; the same command goes on from there",
         crew->done, crew->total);
    exit(128 + interrupted);
}

/* Takes leave of a worker; true if its run is there. */
static bool
finish(Worker *w, const Options *o)
{
    int status;
    char why[512];
    while (waitpid(w->process, &status, 0) < 0 && errno == EINTR)
        if (interrupted) /* it said its last, and does not go */
            kill(w->process, SIGKILL);
    bool there = WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                 run_exists(o->out, w->job->name);
    if (!there) {
        run_abandon(o->out, w->job->name, w->process);
        reason(w, status, why);
        if (w->late)
            snprintf(why, sizeof why,
                     "took longer than --timeout %.10g seconds, and was ended",
                     o->timeout);
        if (o->memory && WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT &&
            !w->late) {
            size_t n = strlen(why);
            snprintf(why + n, sizeof why - n, " (--memory %.0f)", o->memory);
        }
        progress_clear();
        note("%s: %s", w->job->name, why);
    }
    close(w->rows);
    fclose(w->said);
    w->process = 0;
    return there;
}

/* Has it gone? */
static bool
gone(const Worker *w)
{
    siginfo_t how = {0};
    return w->process &&
           !waitid(P_PID, (id_t)w->process, &how,
                   WEXITED | WNOHANG | WNOWAIT) &&
           how.si_pid;
}

/* Gives idle workers the next jobs; how many are at work. */
static int
hand_out(Crew *crew)
{
    int busy = 0;
    for (int i = 0; i < crew->most; i++) {
        if (!crew->workers[i].process && crew->next < crew->total) {
            const Job *job = crew->queue[crew->next++];
            start(&crew->workers[i], crew, job);
            progress_begin(i, job, effort(&job->config));
        }
        busy += crew->workers[i].process != 0;
    }
    return busy;
}

/* Waits until a worker has something to say; false where none had in time. */
static bool
wait_for_news(Crew *crew, struct pollfd *ready)
{
    for (int i = 0; i < crew->most; i++) {
        const Worker *w = &crew->workers[i];
        ready[i] = (struct pollfd){w->process ? w->rows : -1, POLLIN, 0};
    }
    int events = poll(ready, (nfds_t)crew->most, end_late(crew));
    if (interrupted)
        stop(crew);
    if (events < 0 && errno != EINTR)
        fail("waiting for the runs: %s", strerror(errno));
    return events > 0;
}

int
jobs_run(const Options *o, const Grid *g, const bool *wanted)
{
    Crew crew = {.o = o};
    int failed = 0;
    double all;
    crew.queue = queue_of(g, wanted, &crew.total, &all);
    crew.most = o->jobs < crew.total ? (int)o->jobs : crew.total;
    crew.share = memory_share(o, crew.most);
    crew.workers = allocate((size_t)crew.most, sizeof *crew.workers);
    struct pollfd *ready = allocate((size_t)crew.most, sizeof *ready);
    notice_interrupts();
    progress_start(o, crew.most, crew.total, all);
    while (hand_out(&crew)) {
        bool news = wait_for_news(&crew, ready);
        for (int i = 0; i < crew.most; i++) {
            LogRow row;
            if (!ready[i].revents && (news || !gone(&crew.workers[i])))
                continue;
            if (ready[i].revents &&
                read(ready[i].fd, &row, sizeof row) == sizeof row) {
                progress_row(i, row);
                continue;
            }
            bool there = finish(&crew.workers[i], o);
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
