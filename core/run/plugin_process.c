/* plugin_process.c - work that may crash, hang or exit, as a plugin's code may:
   in a child, with words for how it ended. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "run/plugin_process.h"

int
run_in_double(int argc, char **argv)
{
    Path program = within(executable_directory(), "qkv-double");
    char **same = allocate((size_t)argc + 2, sizeof *same);
    same[0] = program.text;
    memcpy(same + 1, argv, (size_t)argc * sizeof *same);
    int status = run_program(same);
    if (status == NOT_RUN)
        fail("%s: cannot be run; it works in double precision, and belongs "
             "beside qkv",
             program.text);
    free(same);
    return status;
}

/* The signals by which somebody ends a program, and the one that came. */
static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { INTERRUPTS = 4 };
static volatile sig_atomic_t interrupted;

static void
interrupt(int signal)
{
    interrupted = signal;
}

/* Says in words how a child ended. */
static char *
explained(const Child *c, int signal)
{
    const Report *r = c->report;
    const char *doing = r->running.doing;
    double taken = fmax(c->taken, r->held); /* which it may not have touched */
    if (*r->text)
        return copy_text(r->text);
    if (!signal)
        return format_text("ended its process%s (status %d)", doing,
                           WEXITSTATUS(c->status));
    if (taken > 0.8 * c->may.bytes)
        return format_text("out of memory%s: it had taken %.0f MB%s", doing,
                           taken / 1e6, r->limit);
    return format_text("%s%s: %s", signal == SIGKILL ? "was ended" : "crashed",
                       doing, strsignal(signal));
}

Ended
child_end(Child *c, void *answer)
{
    const Report *r = c->report;
    bool left = WIFEXITED(c->status);
    bool told = *r->text && (left || !*r->running.doing);
    Ended e = {.answered = left && r->done};
    e.status = left && (e.answered || told) ? WEXITSTATUS(c->status) : 1;
    e.why = e.answered ? "" : explained(c, left ? 0 : WTERMSIG(c->status));
    if (*r->running.doing && !told)
        e.plugin = interned(r->running.plugin);
    if (answer)
        memcpy(answer, r->answer, c->size);
    if (*r->drafts) { /* it left some */
        drafts_sweep(r->drafts);
        if (interrupted)
            note("stopped; the same command goes on from there");
    }
    munmap(c->report, sizeof *c->report + c->size);
    c->process = 0;
    return e;
}

Ended
in_child(void (*work)(const void *more, void *answer), const void *more,
         void *answer, size_t size, Limits may)
{
    Child c;
    child_begin(&c, work, more, size, may, true);
    while (!children_wait(&c, 1))
        ;
    return child_end(&c, answer);
}

typedef struct Command {
    int (*run)(int argc, char **argv);
    int argc;
    char **argv;
} Command;

static void
run_command(const void *more, void *answer)
{
    (void)answer;
    const Command *c = more;
    _exit(end_well(c->run(c->argc, c->argv)));
}

int
command_in_child(int (*run)(int argc, char **argv), int argc, char **argv)
{
    Child c;
    Command command = {run, argc, argv};
    child_begin(&c, run_command, &command, 0, (Limits){INFINITY, INFINITY},
                false);
    for (int i = 0; i < INTERRUPTS; i++)
        if (signal(interrupts[i], interrupt) == SIG_IGN) /* nohup */
            signal(interrupts[i], SIG_IGN);
    while (!children_wait(&c, 1))
        if (interrupted)
            kill(c.process, SIGKILL);
    Ended e = child_end(&c, NULL);
    for (int i = 0; i < INTERRUPTS && !e.answered; i++)
        if (interrupts[i] == (interrupted ? interrupted : WTERMSIG(c.status))) {
            signal(interrupts[i], SIG_DFL);
            raise(interrupts[i]); /* as one process would end */
        }
    if (e.plugin)
        note("%s: %s", e.plugin, e.why);
    else if (!e.answered)
        note("%s", e.why);
    return e.status;
}
