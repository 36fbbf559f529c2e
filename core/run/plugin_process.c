/* plugin_process.c - runs work that may crash, hang or exit in a child process,
   and describes in words how it ended. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "config/find_plugin.h"
#include "run/plugin_process.h"

int
run_in_double(int argc, char **argv)
{
    char *program = within(executable_directory(), "qkv-double");
    char **line = allocate((size_t)argc + 2, sizeof *line); /* ends in NULL */
    line[0] = program; /* argv begins with the command's name */
    memcpy(line + 1, argv, (size_t)argc * sizeof *line);
    int status = run_program(line);
    if (status == NOT_RUN)
        fail("%s: could not run it: this command needs double precision; "
             "install qkv-double beside qkv",
             program);
    return status;
}

/* Describes in words how a child ended without finishing its work, such as
   "crashed in forward: ...". r->doing is " in forward", with its space, or ""
   if no plugin's code was running. */
static const char *
how_it_ended(const Child *c)
{
    const Report *r = c->report;
    const char *doing = r->doing;
    int signal = WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
    if (*r->text)
        return interned(r->text);
    if (c->late)
        return format_text("took more than %.0f seconds%s; to allow more, set "
                           "QKV_CALL_SECONDS",
                           c->call_limit, doing);
    if (!signal)
        return format_text("ended its process%s (status %d)", doing,
                           WEXITSTATUS(c->status));
    return format_text("%s%s: %s; it had used %.0f MB%s",
                       signal == SIGKILL ? "was ended" : "crashed", doing,
                       strsignal(signal), c->most_memory / 1e6, r->limit);
}

Ended
child_end(Child *c)
{
    const Report *r = c->report;
    bool exited = WIFEXITED(c->status), in_plugin = *r->doing;
    /* It failed if it left a message of this program, unless a signal then
       killed it in a plugin's code. */
    bool failed = *r->text && (exited || !in_plugin);
    Ended e = {.answered = exited && r->done, .status = EXIT_FAILURE};
    if (exited && (e.answered || failed)) /* its own status is kept */
        e.status = WEXITSTATUS(c->status);
    e.why = e.answered ? "" : how_it_ended(c);
    if (in_plugin && !failed) /* a crash, or an exit by the plugin */
        e.plugin = interned(r->plugin);
    if (*r->drafts && !e.answered)
        drafts_sweep(r->drafts);
    munmap(c->report, sizeof *c->report + c->size);
    c->process = 0; /* c is free for another child */
    return e;
}

/* Waits until this child, the only one, has ended. */
static void
wait_for(Child *c)
{
    const int one_child = 1;
    while (!children_wait(c, one_child))
        ;
}

Ended
in_child(ChildWork *work, const void *argument, void *answer, size_t size,
         double memory, ChildOutput output)
{
    Child c;
    child_begin(&c, work, argument, size, memory, output);
    wait_for(&c);
    memcpy(answer, c.report->answer, size);
    return child_end(&c);
}

/* The argument of a child that runs a command. */
typedef struct Command {
    int (*run)(int argc, char **argv);
    int argc;
    char **argv;
} Command;

/* In the child: runs the command, and exits with its status. The work of other
   children returns, and their status is 0. */
static void
run_command(const void *argument, void *answer)
{
    (void)answer;
    const Command *c = argument;
    _exit(end_well(c->run(c->argc, c->argv)));
}

/* The signals that would end this process, such as that of Ctrl-C. */
static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { FATAL = sizeof fatal / sizeof *fatal };

/* The child that runs the command, and the latest fatal signal; 0 if there was
   none. Both are static because a signal handler gets only the signal. */
static pid_t command_process;
static volatile sig_atomic_t interrupted_by;

/* The handler of fatal signals: kills the child. This process ends later, in
   end_by. */
static void
interrupt(int signal)
{
    interrupted_by = signal;
    kill(command_process, SIGKILL);
}

/* Makes fatal signals end the child from now on. One that is ignored stays
   ignored, as SIGHUP is under nohup. */
static void
handle_signals(void)
{
    for (int i = 0; i < FATAL; i++) {
        void (*before)(int) = signal(fatal[i], interrupt);
        if (before == SIG_IGN)
            signal(fatal[i], SIG_IGN);
    }
}

/* Ends this process by a signal if that is one of the fatal ones; returns
   otherwise. */
static void
end_by(int number)
{
    for (int i = 0; i < FATAL; i++)
        if (fatal[i] == number) {
            signal(number, SIG_DFL);
            raise(number);
        }
}

/* A fatal signal to this process, or to the child itself, ends both. This
   process ends last, after child_end has removed the child's drafts. */
int
command_in_child(int (*run)(int argc, char **argv), int argc, char **argv)
{
    Child c;
    Command command = {run, argc, argv};
    const size_t no_answer = 0;
    child_begin(&c, run_command, &command, no_answer, machine_memory(),
                PRINT_OUTPUT);
    command_process = c.process;
    handle_signals();
    wait_for(&c);
    Ended e = child_end(&c);
    if (e.answered)
        return e.status;
    /* To this process or to the child; 0, no signal, if the child exited. */
    end_by(interrupted_by ? interrupted_by : WTERMSIG(c.status));
    if (e.plugin)
        note("%s: %s", e.plugin, e.why);
    else
        note("%s", e.why);
    return e.status;
}
