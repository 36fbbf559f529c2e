/* process.c - children: a piece of work in one, other programs, signals.

   A child reports in memory that it shares with its parent, and SIGCHLD wakes
   the parent: there is no pipe that a plugin could close or write into. A
   browser has no processes: lessons/web/process.c is the same for it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
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
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "run/process.h"

volatile sig_atomic_t interrupted;

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

static void
interrupt(int signal)
{
    if (signal != SIGCHLD) /* it only wakes the parent */
        interrupted = signal;
}

static void
set_handlers(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler}, usual;
    for (int i = 0; i < 4; i++)
        if (!sigaction(interrupts[i], NULL, &usual) &&
            usual.sa_handler != SIG_IGN) /* nohup */
            sigaction(interrupts[i], &action, NULL);
}

void
notice_interrupts(void)
{
    set_handlers(interrupt);
}

void
end_notice(void)
{
    set_handlers(SIG_DFL);
}

void
raise_interrupt(int signal)
{
    for (int i = 0; i < 4; i++)
        if (signal == interrupts[i]) {
            fflush(stdout);
            end_notice();
            raise(signal);
        }
}

/* fork, or a failure that names what it was for: the child, and the program it
   becomes, dies with its parent (Linux). */
static pid_t
begin_process(const char *what)
{
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        fail("no process for %s: %s", what, strerror(errno));
    if (child)
        return child;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) /* it has ended already */
        _exit(1);
    set_handlers(SIG_DFL);
    return 0;
}

/* Waits for a program begun so, and returns its exit status, or 128 and the
   signal that ended it. An interrupt is passed on to it, and ends this one. */
static int
wait_for_program(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        if (interrupted)
            kill(child, interrupted);
    raise_interrupt(interrupted);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
run_program(char *argv[], const char *directory, const char *hint)
{
    pid_t child = begin_process(argv[0]);
    if (child == 0) {
        if (!directory ||
            (!chdir(directory) && freopen(".shown", "w", stdout) &&
             freopen(".said", "w", stderr)))
            execvp(argv[0], argv);
        if (hint || errno == ENOENT)
            _exit(NOT_RUN);
        fprintf(stderr, "it cannot be started: %s\n", strerror(errno));
        fflush(stderr);
        _exit(1);
    }
    int status = wait_for_program(child);
    if (hint && status == NOT_RUN)
        fail("%s: cannot be run; %s", argv[0], hint);
    return status;
}

void
ask_double(const char *words, char *last, int size)
{
    Path path = within(executable_directory(), "qkv-double");
    char *program = quoted(path.text);
    char *line = format_text("QKV=1 exec %s %s 2>/dev/null", program, words);
    fflush(NULL);
    FILE *answer = popen(line, "r");
    if (!answer)
        fail("no process for qkv-double: %s", strerror(errno));
    while (fgets(last, size, answer))
        ;
    pclose(answer);
    free(line);
    free(program);
}

/* Seconds that one call of a plugin's code may take. */
static double
call_seconds(void)
{
    const char *text = getenv("QKV_CALL_SECONDS");
    char *end;
    double seconds = text ? strtod(text, &end) : 60;
    if (text && (*end || !(seconds > 0)))
        usage("QKV_CALL_SECONDS=%s: no number of seconds", text);
    return seconds;
}

void
child_begin(Child *c, void (*work)(const void *more, void *answer),
            const void *more, size_t size, Limits may, bool quiet)
{
    struct sigaction wake = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    *c = (Child){.size = size, .may = may, .looked = now()};
    c->end = c->looked + may.seconds;
    c->report = mmap(NULL, sizeof *c->report + size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->report == MAP_FAILED)
        fail("no memory to share with a process: %s", strerror(errno));
    c->report->running.doing = "";
    sigaction(SIGCHLD, &wake, NULL);
    c->process = begin_process("a plugin's code");
    if (c->process)
        return;
    if (quiet && !(freopen("/dev/null", "w", stdout) &&
                   freopen("/dev/null", "w", stderr)))
        _exit(1);
    watched(c->report);
    memory_limit(may);
    work(more, report->answer);
    _exit(end_well(0));
}

/* Names the call only if it has lasted. */
static void
end_late(Child *c, double seconds, const char *more)
{
    if (!*c->late)
        snprintf(c->late, sizeof c->late, "took more than %.10g seconds%s%s",
                 seconds, c->inside > 0.5 ? c->report->running.doing : "",
                 more);
    kill(c->process, SIGKILL); /* even if it has stopped itself */
}

/* The seconds that it has left; kills it if there are none. It is looked at
   every second: if more has passed, everything was stopped (Ctrl-Z), and that
   time does not count. */
static double
seconds_left(Child *c)
{
    double time = now(), gone = time - c->looked, most = call_seconds();
    int calls = c->report->running.calls;
    bool same = *c->report->running.doing && calls == c->calls;
    c->inside = same ? c->inside + fmin(gone, 1) : 0;
    c->end += fmax(gone - 1, 0);
    c->looked = time;
    c->calls = calls;
    if (time >= c->end)
        end_late(c, c->may.seconds, c->may.more);
    else if (c->inside >= most)
        end_late(c, most, "; QKV_CALL_SECONDS gives more");
    else
        return fmin(c->end - time, most - c->inside);
    return 1;
}

static bool
has_ended(Child *c)
{
    struct rusage usage = {0};
    pid_t ended = wait4(c->process, &c->status, WNOHANG, &usage);
    c->taken = 1024. * (double)usage.ru_maxrss;
    return ended != 0;
}

/* Signals are let through while it waits, and only then, so none is missed. */
Child *
children_wait(Child *children, int count, double seconds)
{
    sigset_t held, usual, open;
    Child *ended = NULL;
    sigemptyset(&held);
    sigaddset(&held, SIGCHLD);
    for (int i = 0; i < 4; i++)
        sigaddset(&held, interrupts[i]);
    sigprocmask(SIG_BLOCK, &held, &usual);
    open = usual;
    sigdelset(&open, SIGCHLD); /* which whoever began us may have blocked */
    seconds = fmin(seconds, 1);
    for (int i = 0; i < count && !ended; i++)
        if (children[i].process && has_ended(&children[i]))
            ended = &children[i];
        else if (children[i].process)
            seconds = fmin(seconds, seconds_left(&children[i]));
    struct timespec time = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
    if (!ended)
        pselect(0, NULL, NULL, NULL, &time, &open);
    sigprocmask(SIG_SETMASK, &usual, NULL);
    return ended;
}
