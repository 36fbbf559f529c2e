/* main.c - the command `qkv`: finds the subcommand and hands over. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "commands.h"
#include "fail.h"
#include "options.h"
#include "plugin.h"
#include "words.h"

#define VERSION "0.1"

/* One that was closed would be the next file that is opened; writing to this
   fails, which end_well tells. */
static void
hold_streams(void)
{
    int file;
    while ((file = open("/dev/null", O_RDONLY)) >= 0 && file <= STDERR_FILENO)
        ;
    if (file > STDERR_FILENO)
        close(file);
}

#ifdef __GLIBC__
/* A plugin that calls exit(0) is no success. */
static void
check_end(int status, void *more)
{
    (void)more;
    if (status != 0 || has_finished())
        return;
    note("%s: ended the program (exit)",
         blamed_plugin() ? blamed_plugin() : "a plugin");
    _exit(1);
}
#endif

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {
        {"list", command_list},
        {"train", command_train},
        {"compare", command_compare},
        {"plot", command_plot},
        {"inspect", command_inspect},
        {"equiv", command_equiv},
        {"count", command_count},
        {"check", command_check},
        {"trace", command_trace},
        {"new", command_new},
        {"export", command_export},
        {"bench", command_bench},
        {"report", command_report},
        {"merge", command_merge},
        {"completion", command_completion},
    };
    hold_streams();
    executable_called(argv[0]);
    explain_crashes();
#ifdef __GLIBC__
    on_exit(check_end, NULL);
#endif
    enum { COUNT = sizeof commands / sizeof *commands };
    const char *names[COUNT], *word = argc > 1 ? argv[1] : "help";
    for (int i = 0; i < COUNT; i++) {
        names[i] = commands[i].name;
        if (!strcmp(word, names[i]))
            return end_well(commands[i].run(argc - 1, argv + 1));
    }
    if (!strcmp(word, "--version"))
        return end_well(printf("qkv %s\n", VERSION) < 0);
    if (!strcmp(word, "help") && argc > 2)
        return main(3, (char *[]){argv[0], argv[2], "--help", NULL});
    if (strcmp(word, "help") && strcmp(word, "--help") && strcmp(word, "-h"))
        usage("unknown command \"%s\"%s: `qkv help` names those there are",
              word, did_you_mean(word, names, COUNT));
    print_commands();
    return end_well(0);
}
