/* plugin_process.c - work that may crash, hang or exit, as a plugin's code may.

   A child reports in memory that it shares with its parent, and SIGCHLD wakes
   the parent: there is no pipe that a plugin could close or write into. */
#include <errno.h>
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
#include "variant/plugin.h"
#include "driver/cli/plugin_process.h"

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
end_with_parent(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) /* it has ended already */
        _exit(1);
}

int
run_program(char *argv[], const char *directory, const char *hint)
{
    int status = 0;
    fflush(stdout);
    pid_t parent = getpid(), child = fork();
    if (child < 0)
        fail("no process for %s: %s", argv[0], strerror(errno));
    if (child == 0) {
        end_with_parent(parent);
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
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        if (interrupted)
            kill(child, SIGTERM);
    if (interrupted)
        exit(128 + interrupted);
    if (hint && WIFEXITED(status) && WEXITSTATUS(status) == NOT_RUN)
        fail("%s: cannot be run; %s", argv[0], hint);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
run_in_double(int argc, char **argv, const char *why)
{
    Path program = within(executable_directory(), "qkv-double");
    char **same = allocate((size_t)argc + 2, sizeof *same);
    char *hint = format_text("%s, and belongs beside qkv", why);
    same[0] = program.text;
    memcpy(same + 1, argv, (size_t)argc * sizeof *same);
    int status = run_program(same, NULL, hint);
    free(same);
    free(hint);
    return status;
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

bool
child_begin(Child *c, size_t size, Limits may, bool quiet)
{
    struct sigaction wake = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    *c = (Child){.size = size, .may = may, .looked = now()};
    c->end = c->looked + may.seconds;
    c->report = mmap(NULL, sizeof *c->report + size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->report == MAP_FAILED)
        fail("no memory to share with a process: %s", strerror(errno));
    c->report->watched = true;
    c->report->doing = "";
    sigaction(SIGCHLD, &wake, NULL);
    fflush(NULL);
    pid_t parent = getpid();
    c->process = fork();
    if (c->process < 0)
        fail("no process for a plugin's code: %s", strerror(errno));
    if (c->process)
        return false;
    set_handlers(SIG_DFL);
    end_with_parent(parent);
    if (quiet && !(freopen("/dev/null", "w", stdout) &&
                   freopen("/dev/null", "w", stderr)))
        _exit(1);
    report = c->report;
    memory_limit(may);
    return true;
}

/* Names the call only if it has lasted. */
static void
end_late(Child *c, double seconds, const char *more)
{
    if (!*c->late)
        snprintf(c->late, sizeof c->late, "took more than %.10g seconds%s%s",
                 seconds, c->inside > 0.5 ? c->report->doing : "", more);
    kill(c->process, SIGKILL); /* even if it has stopped itself */
}

/* The seconds that it has left; kills it if there are none. It is looked at
   every second: if more has passed, everything was stopped (Ctrl-Z), and that
   time does not count. */
static double
seconds_left(Child *c)
{
    double time = now(), gone = time - c->looked, most = call_seconds();
    int calls = c->report->calls;
    bool same = *c->report->doing && calls == c->calls;
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

/* Says in words how it ended, unless its own message does. */
static void
explain(const Child *c, Ended *e)
{
    char size[32], *to = e->why;
    const Report *r = c->report;
    size_t most = sizeof e->why;
    double taken = fmax(c->taken, r->held); /* which it may not have touched */
    int s = e->signal;
    bool stray = s == SIGSEGV || s == SIGBUS;
    bool crash = stray || s == SIGFPE || s == SIGILL || s == SIGABRT;
    if (e->late || (*r->text && (!s || s == SIGABRT)))
        snprintf(to, most, "%s", e->late ? c->late : r->text);
    else if (!s)
        snprintf(to, most, "ended its process%s (status %d)", r->doing,
                 WEXITSTATUS(c->status));
    else if (taken > 0.8 * c->may.bytes)
        snprintf(to, most, "out of memory%s: it had taken %s%s", r->doing,
                 size_text(taken, size), r->limit);
    else
        snprintf(to, most, "%s%s: %s%s", crash ? "crashed" : "was ended",
                 r->doing, strsignal(s),
                 stray ? " (an operand that is NULL, memory that was refused, "
                         "or w[i] past the weights declared?)"
                 : crash ? ""
                         : " (out of memory, a limit, or by hand?)");
}

Ended
child_end(Child *c, void *answer)
{
    const Report *r = c->report;
    bool left = WIFEXITED(c->status);
    Ended e = {.answered = left && r->done,
               .late = *c->late != 0,
               .told = *r->text && (left || !*r->doing),
               .signal = left ? 0 : WTERMSIG(c->status)};
    e.status = left && (e.answered || e.told) ? WEXITSTATUS(c->status) : 1;
    snprintf(e.plugin, sizeof e.plugin, "%s", r->plugin);
    if (!e.answered)
        explain(c, &e);
    if (answer)
        memcpy(answer, r->answer, c->size);
    if (*r->drafts) /* it left some */
        drafts_sweep(r->drafts);
    munmap(c->report, sizeof *c->report + c->size);
    c->process = 0;
    return e;
}

const char *
ended_words(const Ended *e)
{
    static char words[sizeof e->plugin + sizeof e->why + 3];
    bool blamed = !e->told && *e->plugin;
    snprintf(words, sizeof words, "%s%s%s", blamed ? e->plugin : "",
             blamed ? ": " : "", e->why);
    return words;
}

/* If this process is interrupted, so is the child, which then has a few seconds
   to tidy up. */
static void
wait_for(Child *c)
{
    for (bool told = false; !children_wait(c, 1, 1);)
        if (interrupted && !told) {
            told = true;
            kill(c->process, interrupted);
            c->end = now() + 5;
        }
}

Ended
in_child(void (*work)(const void *more, void *answer), const void *more,
         void *answer, size_t size, Limits may)
{
    Child c;
    if (child_begin(&c, size, may, true)) {
        work(more, c.report->answer);
        _exit(end_well(0));
    }
    wait_for(&c);
    return child_end(&c, answer);
}

int
command_in_child(int (*run)(int argc, char **argv), int argc, char **argv)
{
    Child c;
    if (child_begin(&c, 0, limits(INFINITY, INFINITY), false))
        _exit(end_well(run(argc, argv)));
    notice_interrupts();
    wait_for(&c);
    end_notice();
    bool outside = !*c.report->doing; /* of a plugin's code */
    Ended e = child_end(&c, NULL);
    int signal = interrupted ? interrupted : outside ? e.signal : 0;
    for (int i = 0; !e.answered && i < 4; i++)
        if (signal == interrupts[i])
            raise(signal); /* as one process would end */
    if (!e.answered)
        note("%s", ended_words(&e));
    return e.status;
}
