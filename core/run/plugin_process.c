/* plugin_process.c - work that may crash, hang or exit, as a plugin's code may:
   in a child, with words for how it ended. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "config/find_plugin.h"
#include "run/plugin_process.h"

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

/* What Linux calls available, or all that is installed; but no more than a
   container's limit (control groups, version 2). One that was set further out,
   as for a step of Slurm's, is not seen. */
double
memory_free(void)
{
    char line[256];
    double pages = (double)sysconf(_SC_PHYS_PAGES);
    double all = pages * (double)sysconf(_SC_PAGESIZE), limit = INFINITY;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &limit) == 1)
            all = limit * 1024;
    if (file)
        fclose(file);
    file = fopen("/sys/fs/cgroup/memory.max", "r");
    if (file && fscanf(file, "%lf", &limit) == 1)
        all = fmin(all, limit);
    if (file)
        fclose(file);
    return all;
}

Limits
limits(double seconds, double bytes)
{
    return (Limits){seconds, fmin(bytes, memory_free())};
}

/* Says in words how it ended, unless its own message does. */
static void
explain(const Child *c, Ended *e)
{
    const Report *r = c->report;
    const char *doing = r->running.doing;
    double taken = fmax(c->taken, r->held); /* which it may not have touched */
    char *to = e->why;
    if (*c->late)
        snprintf(to, sizeof e->why, "%s", c->late);
    else if (*r->text && (!e->signal || e->signal == SIGABRT))
        snprintf(to, sizeof e->why, "%s", r->text);
    else if (!e->signal)
        snprintf(to, sizeof e->why, "ended its process%s (status %d)", doing,
                 WEXITSTATUS(c->status));
    else if (taken > 0.8 * c->may.bytes)
        snprintf(to, sizeof e->why, "out of memory%s: it had taken %.0f MB%s",
                 doing, taken / 1e6, r->limit);
    else
        snprintf(to, sizeof e->why, "%s%s: %s",
                 e->signal == SIGKILL ? "was ended" : "crashed", doing,
                 strsignal(e->signal));
}

Ended
child_end(Child *c, void *answer)
{
    const Report *r = c->report;
    bool left = WIFEXITED(c->status);
    bool told = *r->text && (left || !*r->running.doing);
    Ended e = {.answered = left && r->done,
               .signal = left ? 0 : WTERMSIG(c->status)};
    e.status = left && (e.answered || told) ? WEXITSTATUS(c->status) : 1;
    if (*r->running.doing && !told)
        snprintf(e.plugin, sizeof e.plugin, "%s", r->running.plugin);
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
    snprintf(words, sizeof words, "%s%s%s", e->plugin, *e->plugin ? ": " : "",
             e->why);
    return words;
}

/* If this process is interrupted, so is the child, which then has so many
   seconds to tidy up: fewer where it has no child of its own to wait for. */
static void
wait_for(Child *c, double seconds)
{
    for (bool told = false; !children_wait(c, 1);)
        if (interrupted && !told) {
            told = true;
            kill(c->process, interrupted);
            c->may.seconds = c->spent + seconds;
        }
}

Ended
in_child(void (*work)(const void *more, void *answer), const void *more,
         void *answer, size_t size, Limits may)
{
    Child c;
    child_begin(&c, work, more, size, may, true);
    wait_for(&c, 2);
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
    child_begin(&c, run_command, &command, 0, limits(INFINITY, INFINITY),
                false);
    notice_interrupts();
    wait_for(&c, 5);
    Ended e = child_end(&c, NULL);
    int signal = interrupted ? interrupted : *e.plugin ? 0 : e.signal;
    if (!e.answered) {
        raise_interrupt(signal); /* as one process would end */
        note("%s", ended_words(&e));
    }
    return e.status;
}
