/* process.c - children: a piece of work in one, and other programs.

   A child reports in memory that it shares with its parent, and SIGCHLD wakes
   the parent: there is no pipe that a plugin could close or write into. A
   browser has no processes: lessons/web/process.c is the same for it. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/process.h"

/* fork, or a failure that names what it was for: the child, and the program it
   becomes, dies with its parent (Linux). */
static pid_t
begin_process(const char *what)
{
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        fail("no process for %s: %s", what, strerror(errno));
#ifdef __linux__
    if (!child)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (!child && getppid() != parent) /* it has died already */
        _exit(1);
    return child;
}

int
run_program(char *argv[])
{
    int status = 0;
    pid_t child = begin_process(argv[0]);
    if (child == 0) {
        execvp(argv[0], argv);
        _exit(NOT_RUN);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The number in the first line of a file that has such a format, or another
   one if there is none. */
static double
number_in(const char *path, const char *format, double otherwise)
{
    char line[256];
    double x = otherwise;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, &x) == 1)
            break;
    if (file)
        fclose(file);
    return x;
}

/* What Linux calls available, but no more than a container's limit (control
   groups, version 2); elsewhere there is no limit. One that was set further
   out, as for a step of Slurm's, is not seen. */
double
memory_free(void)
{
    return fmin(1024 *
                    number_in("/proc/meminfo", "MemAvailable: %lf", INFINITY),
                number_in("/sys/fs/cgroup/memory.max", "%lf", INFINITY));
}

/* From here on this process gets no more bytes than that, added to what it has
   now, since a sanitizer reserves terabytes. Messages about memory say so. */
static void
limit_memory(double bytes)
{
    double held = 1024 * number_in("/proc/self/status", "VmData: %lf", 0);
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit))
        return;
    limit.rlim_cur = limit.rlim_max =
        (rlim_t)fmin(bytes + held, (double)limit.rlim_max);
    if (!setrlimit(RLIMIT_DATA, &limit))
        snprintf(report->limit, sizeof report->limit, " (it may have %.0f MB)",
                 bytes / 1e6);
}

/* That a child has ended only wakes its parent. */
static void
wake(int signal)
{
    (void)signal;
}

void
child_begin(Child *c, void (*work)(const void *more, void *answer),
            const void *more, size_t size, Limits may, bool quiet)
{
    may.bytes = fmin(may.bytes, memory_free());
    *c = (Child){.more = more, .size = size, .may = may, .looked = now()};
    c->report = mmap(NULL, sizeof *c->report + size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->report == MAP_FAILED)
        fail("no memory to share with a process: %s", strerror(errno));
    c->report->running.doing = "";
    signal(SIGCHLD, wake);
    c->process = begin_process("a plugin's code");
    if (c->process)
        return;
    if (quiet && !(freopen("/dev/null", "w", stdout) &&
                   freopen("/dev/null", "w", stderr)))
        _exit(1);
    watched(c->report);
    limit_memory(may.bytes);
    work(more, report->answer);
    _exit(end_well(0));
}

/* Kills it if its time is up, or that of one call of a plugin's code. It is
   looked at every second: if more has passed, everything was stopped (Ctrl-Z),
   and that time does not count. */
static void
end_if_late(Child *c)
{
    const char *text = getenv("QKV_CALL_SECONDS");
    double time = now(), gone = fmin(time - c->looked, 1);
    double most = text ? atof(text) : 60;
    const Running *r = &c->report->running;
    c->inside = *r->doing && r->calls == c->calls ? c->inside + gone : 0;
    c->spent += gone;
    c->looked = time;
    c->calls = r->calls;
    bool all = c->spent >= c->may.seconds;
    if (!all && c->inside < most)
        return;
    snprintf(c->report->text, MESSAGE,
             "took more than %.10g seconds%s; %s gives more",
             all ? c->may.seconds : most, c->inside > 0.5 ? r->doing : "",
             all ? "--timeout" : "QKV_CALL_SECONDS");
    kill(c->process, SIGKILL); /* even if it has stopped itself */
}

Child *
children_wait(Child *children, int count)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    Child *ended = NULL;
    sigset_t wakes, before;
    sigemptyset(&wakes);
    sigaddset(&wakes, SIGCHLD); /* comes in the pause, and ends it */
    sigprocmask(SIG_BLOCK, &wakes, &before);
    for (Child *c = children; c < children + count && !ended; c++) {
        struct rusage usage;
        if (!c->process)
            continue;
        if (wait4(c->process, &c->status, WNOHANG, &usage)) {
            c->taken = 1024. * (double)usage.ru_maxrss;
            ended = c;
        } else
            end_if_late(c);
    }
    if (!ended)
        pselect(0, NULL, NULL, NULL, &pause, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ended;
}
