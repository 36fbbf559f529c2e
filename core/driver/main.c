/* main.c - the command `qkv`: finds the subcommand and calls it. A subcommand
   is a C function, or a shell script that calls other subcommands,
   plots/commands/NAME.sh. */
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
#include "driver/help.h"
#include "heart/fail.h"
#include "run/plugin_process.h"

#define VERSION "1.0"

/* The function of a command that is written in C; NULL for any other word. */
static CommandFunction *
command_function(const char *word)
{
    /* clang-format off */
    static const struct {
        const char *name;
        CommandFunction *run;
    } in_c[] = {
        {"list", command_list}, {"train", command_train}, {"compare", command_compare},
        {"plot", command_plot}, {"table", command_table}, {"judge", command_judge},
        {"equiv", command_equiv}, {"count", command_count}, {"derive", command_derive},
        {"inspect", command_inspect}, {"trace", command_trace},
        {"generate", command_generate}, {"export", command_export},
        {"check", command_check}, {"open", command_open},
        /* only for scripts (commands.h): */
        {"draft", command_draft}, {"suggest", command_suggest},
        {"write-plugin", command_write_plugin}};
    /* clang-format on */
    for (size_t i = 0; i < sizeof in_c / sizeof *in_c; i++)
        if (!strcmp(in_c[i].name, word))
            return in_c[i].run;
    return NULL;
}

/* Replaces this process with the script of a command. argv[0] is the command's
   name; the script gets the words after it. It calls this program as $QKV. */
static _Noreturn void
run_script(const char *name, int argc, char **argv)
{
    const char *program = sizeof(real) == sizeof(double) ? "qkv-double" : "qkv";
    enum { SHELL, SCRIPT, ARGUMENTS }; /* indices in `words` */
    char **words = allocate((size_t)argc + ARGUMENTS, sizeof *words);
    words[SHELL] = "sh";
    words[SCRIPT] =
        format_text("%s/commands/%s.sh", beside_program("plots"), name);
    /* argc - 1 words, and the NULL after them */
    memcpy(words + ARGUMENTS, argv + 1, (size_t)argc * sizeof *words);
    setenv("QKV", format_text("%s/%s", executable_directory(), program), 1);
    execv("/bin/sh", words);
    fail("%s: could not run it with /bin/sh: %s", words[SCRIPT],
         strerror(errno));
}

/* Opens /dev/null for each standard stream that is closed. Otherwise a file
   that the program opens later would become that stream, because open() returns
   the lowest free descriptor. The stream is of no more use than before:
   /dev/null has nothing to read, and it is not opened for writing. */
static void
keep_standard_streams(void)
{
    int lowest_free = open("/dev/null", O_RDONLY);
    while (lowest_free >= 0 && lowest_free <= STDERR_FILENO)
        lowest_free = open("/dev/null", O_RDONLY);
    close(lowest_free); /* the lowest descriptor above the standard streams */
}

/* Prepares this process before any command. */
static void
prepare_process(void)
{
    keep_standard_streams();
    /* Numbers are written 0.5, not 0,5, even if a plugin calls setlocale. */
    uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    /* A write beyond the file size limit (ulimit -f) fails instead of ending
       the process. */
    signal(SIGXFSZ, SIG_IGN);
#ifdef __linux__
    /* run_script sets QKV for its script. A command that the script calls is
       ended when the script ends. */
    if (getenv("QKV"))
        prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
}

/* Exits (2), because there is no such command, and suggests a similar name. */
static _Noreturn void
refuse_command(const char *word)
{
    Values known = {0};
    for (const Command *c = commands; c < commands + commands_count; c++)
        values_add(&known, copy_text(c->name));
    usage("unknown command \"%s\":%s `qkv help` lists all commands", word,
          suggestion(word, &known));
}

static bool
asks_for_help(const char *word)
{
    return index_in("help --help -h", word) >= 0;
}

int
main(int argc, char **argv)
{
    enum { COMMAND = 1, NEXT_WORD }; /* indices in argv */
    prepare_process();
    if (argc > NEXT_WORD && asks_for_help(argv[COMMAND])) {
        /* `qkv help train` becomes `qkv train --help` */
        argv[COMMAND] = argv[NEXT_WORD];
        argv[NEXT_WORD] = "--help";
    }
    const char *word = argc > COMMAND ? argv[COMMAND] : "help";
    CommandFunction *run = command_function(word);
    if (run)
        return command_in_child(run, argc - COMMAND, argv + COMMAND);
    if (command_named(word)) /* it is not written in C */
        run_script(word, argc - COMMAND, argv + COMMAND);
    if (!strcmp(word, "--version"))
        return end_well(printf("qkv %s\n", VERSION) < 0);
    if (!asks_for_help(word))
        refuse_command(word);
    print_commands();
    return end_well(EXIT_SUCCESS);
}
