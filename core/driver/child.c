/* child.c - work that may crash, hang or exit, done in a process of its own.

   The answer comes through a pipe, whole or not at all; what is printed goes
   into a file without a name. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "fail.h"
#include "timing.h"

volatile sig_atomic_t interrupted;

static void
interrupt(int signal)
{
    interrupted = signal;
}

static void
set_handlers(void (*handler)(int))
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction action = {.sa_handler = handler};
    for (int i = 0; i < 4; i++)
        sigaction(signals[i], &action, NULL);
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

#define STRAY " (an operand that is NULL, or w[i] past the weights declared?)"

const char *
crash_words(int signal)
{
    return signal == SIGSEGV  ? "Segmentation fault" STRAY
           : signal == SIGBUS ? "Bus error" STRAY
                              : strsignal(signal);
}

static void
put(const char *words)
{
    (void)!write(STDERR_FILENO, words, strlen(words));
}

/* All that a handler may do is write; after it the signal comes again, and
   ends the program. */
static void
explain_crash(int signal)
{
    (void)signal;
    put("qkv: ");
    put(blamed_plugin() ? blamed_plugin() : "most likely a plugin");
    put(": crashed" STRAY ": `qkv check` tells more of it\n");
}

void
explain_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS};
    struct sigaction action = {.sa_handler = explain_crash,
                               .sa_flags = (int)SA_RESETHAND},
                     usual;
    for (int i = 0; i < 2; i++)
        if (!sigaction(signals[i], NULL, &usual) &&
            usual.sa_handler == SIG_DFL) /* and no sanitizer's */
            sigaction(signals[i], &action, NULL);
}

/* In the child: answers, and goes without flushing what the parent printed. */
static _Noreturn void
work_and_go(void (*work)(const void *, void *), const void *more, size_t size,
            int to)
{
    char *answer = allocate(1, size);
    set_handlers(SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* do not outlive the driver */
#endif
    work(more, answer);
    bool sent = write(to, answer, size) == (ssize_t)size;
    free(answer);
    _exit(!sent);
}

/* Reads `size` bytes; false where fewer come within so many seconds. */
static bool
read_all(int from, char *to, size_t size, int seconds, bool *late)
{
    double end = now() + seconds;
    for (size_t got = 0; got < size;) {
        struct pollfd ready = {from, POLLIN, 0};
        double left = end - now();
        *late = left <= 0;
        if (*late || interrupted)
            return false;
        if (poll(&ready, 1, (int)ceil(1000 * fmin(left, LOOK_UP))) <= 0)
            continue;
        ssize_t n = read(from, to + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

/* The last line of what the child wrote, without "qkv: ". */
static void
take_reason(FILE *said, Ended *e)
{
    char line[sizeof e->why];
    while (fgets(line, sizeof line, said)) {
        line[strcspn(line, "\n")] = 0;
        snprintf(e->why, sizeof e->why, "%s",
                 strncmp(line, "qkv: ", 5) ? line : line + 5);
    }
}

/* Puts how it ended into words, where it did not say so itself. */
static void
explain(Ended *e, int status, int seconds, const char *what)
{
    e->status = WIFEXITED(status) && WEXITSTATUS(status) == 2 ? 2 : 1;
    if (e->late)
        snprintf(e->why, sizeof e->why, "%.200stook more than %d seconds", what,
                 seconds);
    else if (WIFSIGNALED(status) && (WTERMSIG(status) != SIGABRT || !*e->why))
        snprintf(e->why, sizeof e->why, "%.200scrashed: %s", what,
                 crash_words(WTERMSIG(status)));
    else if (WIFSIGNALED(status) && *e->why) {
        char *said = format_text("%.200s%s", what, e->why);
        snprintf(e->why, sizeof e->why, "%s", said);
        free(said);
    } else if (!*e->why)
        snprintf(e->why, sizeof e->why, "%.200sended its process (status %d)",
                 what, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

Ended
in_child(void (*work)(const void *more, void *answer), const void *more,
         void *answer, size_t size, int seconds, const char *what)
{
    Ended e = {0};
    int ends[2], status = 0;
    FILE *said = tmpfile();
    if (!said || pipe(ends))
        fail("no pipe to ask %s by: %s", what, strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        fail("no process to ask %s in: %s", what, strerror(errno));
    if (child == 0) {
        dup2(fileno(said), STDERR_FILENO);
        dup2(fileno(said), STDOUT_FILENO);
        close(ends[0]);
        work_and_go(work, more, size, ends[1]);
    }
    close(ends[1]);
    e.answered = read_all(ends[0], answer, size, seconds, &e.late);
    close(ends[0]);
    if (!e.answered) /* it may loop, or have stopped itself */
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    rewind(said);
    if (!e.answered) {
        take_reason(said, &e);
        explain(&e, status, seconds, what);
    }
    fclose(said);
    return e;
}
