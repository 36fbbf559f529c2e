/* help.c - what --help prints, from the tables of the options. */
#include <stdio.h>
#include <stdlib.h>

#include "base/words.h"
#include "config/tasks.h"
#include "driver/help.h"
#include "page/table.h"

void
print_commands(void)
{
    printf("qkv - which of the matrices in attention are really there?\n\n");
    for (int i = 0; i < commands_count; i++)
        printf("  qkv %-10s %s\n", commands[i].name, commands[i].what);
    printf("\n`qkv COMMAND --help` says more. A good place to start is `qkv "
           "compare`.\n");
}

/* Two columns within 80: the option, and its help; of a setting that is no word
   what it is unless it is given. */
static void
print_option(const Command *c, const Option *o)
{
    enum { FROM = 28 };
    char letter[] = "-x,", start[VALUE_SIZE] = "";
    letter[1] = (char)o->letter;
    Config usual = config_start();
    config_apply(&usual, c->start);
    if (o->setting && !setting_worded(o->setting))
        setting_print(o->setting, &usual, start);
    int at = printf("  %3s --%s%s%s", o->letter ? letter : "", o->name,
                    o->argument ? " " : "", o->argument ? o->argument : "");
    if (at >= FROM)
        at = printf("\n") - 1;
    char *help = format_text("%s%s%s%s%s%s", o->help, o->choices ? ": " : "",
                             o->choices ? o->choices : "", *start ? " (" : "",
                             start, *start ? ")" : "");
    print_wrapped(stdout, at, FROM, 79, help);
    free(help);
}

void
print_help(const Command *c, bool all)
{
    Option list[MOST_OPTIONS];
    int count = options_of(c, list);
    printf("qkv %s [options]%s%s\n", c->name, *c->arguments ? " " : "",
           c->arguments);
    print_wrapped(stdout, 0, 0, 79, c->what);
    printf("\n    %s\n    %s\n\n", c->examples[0], c->examples[1]);
    for (int i = 0; i < count; i++)
        if (all || option_common(&list[i]))
            print_option(c, &list[i]);
    printf("\nA task may change what is in brackets, the defaults.%s\n",
           all ? "" : " More: --help=all");
}
