/* help.c - what --help prints, from the tables of the options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/words.h"
#include "driver/grammar.h"
#include "study/table.h"
#include "heart/fail.h"

void
print_commands(void)
{
    printf("qkv - which of the matrices in attention are really there?\n\n");
    for (int i = 0; i < commands_count; i++)
        printf("  qkv %-10s %s\n", commands[i].name, commands[i].what);
    for (int i = 0; i < scripts_count; i++)
        printf("  qkv %-10s %s\n", scripts[i].name, scripts[i].what);
    printf("\n`qkv COMMAND --help` says more. A good place to start is `qkv "
           "compare`.\n");
}

/* Two columns within 80: the option, and its help. */
static void
print_option(const Option *option)
{
    enum { FROM = 28 };
    const char *argument = option->argument;
    const char *choices = option->choices, *start = option->start;
    char letter[8] = "   ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c,", option->letter);
    int at = printf("  %s --%s%s%s", letter, option->name,
                    argument && *argument != '[' ? " " : "",
                    argument ? argument : "");
    if (at >= FROM)
        at = printf("\n") - 1;
    char *help = format_text("%s%s%s%s%s%s", option->help, choices ? ": " : "",
                             choices ? choices : "", start ? " (" : "",
                             start ? start : "", start ? ")" : "");
    print_wrapped(stdout, at, FROM, 79, help);
    free(help);
}

_Noreturn void
print_help(int command)
{
    const Command *c = command_of(command);
    printf("qkv %s [options]%s%s\n%s\n\n", c->name, *c->arguments ? " " : "",
           c->arguments, c->what);
    Option list[MOST_OPTIONS];
    int count = options_of(command, list), own = 0;
    while (own < count && list[own].shape != OF_SETTING)
        print_option(&list[own++]);
    if (own < count)
        printf("\nSettings; in brackets are the defaults, which a task may "
               "change%s\n",
               command == COMPARE ? ".\nA list a,b,c makes a grid:" : ":");
    for (; own < count; own++)
        print_option(&list[own]);
    exit(end_well(0));
}
