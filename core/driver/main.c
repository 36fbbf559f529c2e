/* main.c - the command `qkv`: finds the subcommand and hands over. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "base/words.h"
#include "driver/cli/options.h"
#include "driver/cli/plugin_process.h"
#include "driver/commands.h"
#include "heart/fail.h"
#include "config/find.h"

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

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {
        {"list", command_list},       {"train", command_train},
        {"compare", command_compare}, {"plot", command_plot},
        {"inspect", command_inspect}, {"equiv", command_equiv},
        {"count", command_count},     {"check", command_check},
        {"trace", command_trace},     {"generate", command_generate},
        {"new", command_new},         {"export", command_export},
        {"bench", command_bench},     {"report", command_report},
        {"table", command_table},
    };
    hold_streams();
    /* this thread's, whatever a plugin passes to setlocale: 0.5, not 0,5 */
    uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    signal(SIGXFSZ, SIG_IGN); /* `ulimit -f`: a write that fails says so */
    enum { COUNT = sizeof commands / sizeof *commands };
    const char *names[COUNT], *word = argc > 1 ? argv[1] : "help";
    for (int i = 0; i < COUNT; i++) {
        names[i] = commands[i].name;
        if (!strcmp(word, names[i]))
            return command_in_child(commands[i].run, argc - 1, argv + 1);
    }
    if (!strcmp(word, "--version"))
        return end_well(printf("qkv %s\n", VERSION) < 0);
    if (!strcmp(word, "help") && argc > 2)
        return main(3, (char *[]){argv[0], argv[2], "--help", NULL});
    if (strcmp(word, "help") && strcmp(word, "--help") && strcmp(word, "-h"))
        usage("unknown command \"%s\"%s: `qkv help` lists them", word,
              did_you_mean(word, names, COUNT));
    print_commands();
    return end_well(0);
}
