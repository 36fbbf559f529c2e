/* main.c - the command `qkv`: finds the subcommand and hands over. It is a
   function, or a shell script over the others, plots/commands/NAME.sh. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <unistd.h>

#include <qkv/real.h>

#include "base/report.h"
#include "config/find_plugin.h"
#include "driver/commands.h"
#include "driver/grammar.h"
#include "heart/fail.h"
#include "run/plugin_process.h"

#define VERSION "0.1"

/* Becomes the script, which calls this program as $QKV. */
static _Noreturn void
run_script(const char *name, int argc, char **argv)
{
    char **words = allocate((size_t)argc + 2, sizeof *words);
    words[0] = "sh";
    words[1] = format_text("%s/commands/%s.sh", beside_program("plots"), name);
    memcpy(words + 2, argv + 1, (size_t)argc * sizeof *words);
    setenv("QKV",
           format_text("%s/qkv%s", executable_directory(),
                       sizeof(real) == sizeof(double) ? "-double" : ""),
           1);
    execv("/bin/sh", words);
    fail("%s: /bin/sh cannot be run: %s", words[1], strerror(errno));
}

/* A standard stream that is closed would be the next file that is opened. Now
   nothing can be read from it, and to write to it fails, as before. */
static void
keep_standard_streams(void)
{
    int next = open("/dev/null", O_RDONLY);
    while (next >= 0 && next <= STDERR_FILENO)
        next = open("/dev/null", O_RDONLY);
    close(next);
}

static _Noreturn void
refuse_command(const char *word)
{
    Values known = {0};
    for (const Command *c = commands; c < commands + commands_count; c++)
        values_add(&known, copy_text(c->name));
    usage("unknown command \"%s\":%s `qkv help` lists them", word,
          suggestion(word, &known));
}

int
main(int argc, char **argv)
{
    static int (*const run[])(int argc, char **argv) = {
        command_list,    command_train, command_compare,  command_plot,
        command_table,   command_equiv, command_count,    command_derive,
        command_inspect, command_trace, command_generate, command_export,
        command_check,   command_open};
    enum { IN_C = sizeof run / sizeof *run };
    const char *word = argc > 1 ? argv[1] : "help";
    const Command *c = command_named(word);
    keep_standard_streams();
    /* this thread's, whatever a plugin passes to setlocale: 0.5, not 0,5 */
    uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    signal(SIGXFSZ, SIG_IGN); /* `ulimit -f`: a write that fails says so */
#ifdef __linux__
    if (getenv("QKV")) /* what a script asks for ends with it */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (c && c - commands >= IN_C)
        run_script(word, argc - 1, argv + 1);
    if (c)
        return command_in_child(run[c - commands], argc - 1, argv + 1);
    if (!strcmp(word, "--version"))
        return end_well(printf("qkv %s\n", VERSION) < 0);
    if (!strcmp(word, "draft"))
        return command_in_child(command_draft, argc - 1, argv + 1);
    if (!strcmp(word, "write-plugin"))
        return command_in_child(command_write_plugin, argc - 1, argv + 1);
    if (strcmp(word, "help") && strcmp(word, "--help") && strcmp(word, "-h"))
        refuse_command(word);
    print_commands();
    return end_well(0);
}
