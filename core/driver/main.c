/* main.c - the command `qkv`: finds the subcommand and calls it. A subcommand
   is a function, or a shell script that calls others, plots/commands/NAME.sh.
 */
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

#define VERSION "1.0"

typedef int CommandFunction(int argc, char **argv);

/* The function of a command that is written in C; NULL for any other word. */
static CommandFunction *
function_of(const char *word)
{
    static const struct {
        const char *name;
        CommandFunction *run;
    } in_c[] = {{"list", command_list},
                {"train", command_train},
                {"compare", command_compare},
                {"plot", command_plot},
                {"table", command_table},
                {"judge", command_judge},
                {"equiv", command_equiv},
                {"count", command_count},
                {"derive", command_derive},
                {"inspect", command_inspect},
                {"trace", command_trace},
                {"generate", command_generate},
                {"export", command_export},
                {"check", command_check},
                {"open", command_open},
                /* Scripts call these; no list shows them. */
                {"draft", command_draft},
                {"suggest", command_suggest},
                {"write-plugin", command_write_plugin}};
    for (size_t i = 0; i < sizeof in_c / sizeof *in_c; i++)
        if (!strcmp(in_c[i].name, word))
            return in_c[i].run;
    return NULL;
}

/* Replaces this process by the script, which calls this program as $QKV. */
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
    fail("%s: could not run it with /bin/sh: %s", words[1], strerror(errno));
}

/* Opens /dev/null for standard streams that are closed. Otherwise the next file
   that the program opens would become such a stream. Reading from it still
   gives nothing, and writing to it still fails. */
static void
keep_standard_streams(void)
{
    int next = open("/dev/null", O_RDONLY);
    while (next >= 0 && next <= STDERR_FILENO)
        next = open("/dev/null", O_RDONLY);
    close(next);
}

/* Exits (2), because there is no such command, and suggests one. */
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
    const char *word = argc > 1 ? argv[1] : "help";
    CommandFunction *run = function_of(word);
    keep_standard_streams();
    /* Numbers are written 0.5, not 0,5, even if a plugin calls setlocale. */
    uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    signal(SIGXFSZ, SIG_IGN); /* beyond `ulimit -f` a write reports failure */
#ifdef __linux__
    if (getenv("QKV")) /* a script calls it: it ends when the script does */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (run)
        return command_in_child(run, argc - 1, argv + 1);
    if (command_named(word))
        run_script(word, argc - 1, argv + 1);
    if (!strcmp(word, "--version"))
        return end_well(printf("qkv %s\n", VERSION) < 0);
    if (strcmp(word, "help") && strcmp(word, "--help") && strcmp(word, "-h"))
        refuse_command(word);
    print_commands();
    return end_well(0);
}
