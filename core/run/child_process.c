/* child_process.c - calls a function in a child process, and runs other
   programs.

   A child writes its report (base/report.h) into memory that it shares with its
   parent, and SIGCHLD wakes the parent when the child ends. There is no pipe
   that a plugin could close or write into. A browser has no processes:
   lessons/web/child_process.c replaces this file there. */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/words.h"
#include "run/child_process.h"

/* Forks. The parent gets the child's process id, and the child gets 0. If fork
   fails, the message names `what`, the child's purpose. On Linux the child dies
   with its parent, even after it has become another program. */
static pid_t
begin_process(const char *what)
{
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        fail("could not start a process for %s: %s; end other processes, or "
             "raise `ulimit -u`",
             what, strerror(errno));
#ifdef __linux__
    if (!child)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (!child && getppid() != parent) /* the parent has died already */
        _exit(1);
    return child;
}

int
run_program(char *argv[])
{
    int status = 0;
    pid_t child = begin_process(argv[0]);
    if (child == 0) {
        /* plugins_print_to_stderr (base/report.h) may have made descriptor 1 a
           copy of stderr. The other program needs the true stdout there. */
        dup2(fileno(stdout), STDOUT_FILENO);
        execvp(argv[0], argv);
        _exit(NOT_RUN);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

double
machine_memory(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* Limits the memory of this process. Writes the limit into the report, because
   a message about a crash names it. A program with an address sanitizer is not
   limited, because it reserves terabytes. */
static void
limit_memory(double bytes)
{
    rlim_t most = (rlim_t)bytes;
    bool sanitized = dlsym(RTLD_DEFAULT, "__asan_init");
    if (!sanitized && !setrlimit(RLIMIT_DATA, &(struct rlimit){most, most}))
        snprintf(report->limit, sizeof report->limit, " (the limit is %.0f MB)",
                 bytes / 1e6);
}

/* The handler of SIGCHLD. It does nothing: the signal only has to interrupt the
   sleep in children_wait. */
static void
wake(int signal)
{
    (void)signal;
}

/* Discards whatever is printed to stdout, to stderr or to descriptor 1, which
   plugins print to. After plugins_print_to_stderr (base/report.h), stdout has
   another descriptor. */
static void
print_nothing(void)
{
    bool discarded =
        freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr);
    if (!discarded || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        _exit(1);
}

/* Returns how many seconds one call of a plugin's code may last; 0 means no
   limit. */
static double
call_limit(void)
{
    const char *text = getenv("QKV_CALL_SECONDS");
    const double no_limit = 0, usual = 60, most = 1e9;
    if (!text)
        return usual;
    double seconds;
    const char *wrong =
        number_read(text, WHOLE_NUMBER, no_limit, most, &seconds);
    if (wrong)
        usage("QKV_CALL_SECONDS: %s; set it to the seconds that one call of a "
              "plugin may take (0: no limit), or unset it",
              wrong);
    return seconds;
}

/* In the child: does its work, with `report` in the memory that it shares with
   the parent, and ends. */
static _Noreturn void
run_child(const Child *c, ChildWork *work, double memory, ChildOutput output)
{
    if (output == DISCARD_OUTPUT)
        print_nothing();
    else
        plugins_print_to_stderr();
    report_to(c->report);
    limit_memory(memory);
    work(c->argument, report->answer);
    _exit(end_well(EXIT_SUCCESS));
}

/* Only the parent returns from here: the child ends in run_child. Shared memory
   is all 0 at first, so `doing` has to be set to a text. */
void
child_begin(Child *c, ChildWork *work, const void *argument, size_t size,
            double memory, ChildOutput output)
{
    *c =
        (Child){.argument = argument, .size = size, .call_limit = call_limit()};
    c->report = mmap(NULL, sizeof *c->report + size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->report == MAP_FAILED)
        fail("could not share memory with a child process: %s; free some "
             "memory",
             strerror(errno));
    c->report->doing = RETURNED; /* no plugin's code runs */
    signal(SIGCHLD, wake);
    c->process = begin_process("a plugin's code");
    if (c->process == 0) /* this is the child */
        run_child(c, work, memory, output);
}

double
clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How many milliseconds children_wait sleeps between two looks at the children.
 */
enum { INTERVAL = 50 };

/* Kills a child in which one call of a plugin's code lasts too long. The child
   only counts its calls; the clock is in the parent, where a plugin cannot stop
   it. From one look at the child to the next, at most two intervals are added
   to the time of its call: a longer time is taken to mean that both
   processes were stopped, as by Ctrl-Z, so the child did not use it. */
static void
limit_call(Child *c)
{
    const double most = 2 * INTERVAL / 1000.; /* seconds */
    const Report *r = c->report;
    double now = clock_seconds(), passed = fmin(now - c->looked_at, most);
    bool in_call = *r->doing; /* "" (RETURNED) outside of plugin code */
    bool same_call = in_call && r->calls == c->call;
    c->looked_at = now;
    c->call = r->calls;
    c->call_time = same_call ? c->call_time + passed : 0;
    if (c->call_limit && c->call_time > c->call_limit) {
        c->late = true;
        kill(c->process, SIGKILL);
    }
}

Child *
children_wait(Child *children, int count)
{
    struct rusage usage;
    for (Child *c = children; c < children + count; c++)
        if (c->process)
            limit_call(c);
    for (Child *c = children; c < children + count; c++)
        if (c->process && wait4(c->process, &c->status, WNOHANG, &usage)) {
            c->most_memory = 1024. * (double)usage.ru_maxrss; /* KiB to bytes */
            return c;
        }
    nanosleep(&(struct timespec){.tv_nsec = INTERVAL * 1000000L}, NULL);
    return NULL;
}
