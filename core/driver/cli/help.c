/* help.c - what --help prints, from the tables of the options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "driver/cli/own_options.h"
#include "driver/cli/print.h"

void
print_commands(void)
{
    printf("qkv - which of the matrices in attention are really there?\n\n");
    for (int i = 0; i < commands_count; i++)
        printf("  qkv %-10s %s\n", commands[i].name, commands[i].what);
    printf("\n`qkv COMMAND --help` tells more; `qkv compare` is the place to "
           "begin.\n");
}

/* Two columns within 80: the option, and its help. */
static void
print_option(const char *letter, const char *name, const char *argument,
             const char *help)
{
    enum { FROM = 28 };
    int at = printf("  %s --%s%s%s", letter, name,
                    argument && *argument != '[' ? " " : "",
                    argument ? argument : "");
    if (at >= FROM)
        at = printf("\n") - 1;
    print_folded(stdout, at, FROM, 79, help);
}

/* What a setting is unless it is given. */
static const char *
start_of(const Setting *s, int command)
{
    if (command & (COMPARE | EQUIV) && !strcmp(s->name, "variant"))
        return "the seven of the questions";
    if (command == COMPARE && !strcmp(s->name, "task"))
        return "reverse, recall, sort, induction";
    if (command == EQUIV && !strcmp(s->name, "task"))
        return "induction";
    if (command == TRACE && !strcmp(s->name, "d-model"))
        return "8";
    if (command == TRACE && !strcmp(s->name, "heads"))
        return "2";
    return s->start;
}

static void
print_setting(const Setting *s, int command)
{
    char help[256];
    const char *start = start_of(s, command);
    snprintf(help, sizeof help, "%s%s%s%s%s%s", s->help, s->choices ? ": " : "",
             s->choices ? s->choices : "", *start ? " (" : "", start,
             *start ? ")" : "");
    print_option(!strcmp(s->name, "variant") ? "-v,"
                 : !strcmp(s->name, "task")  ? "-t,"
                                             : "   ",
                 s->name,
                 s->kind == INTEGER  ? "N"
                 : s->kind == NUMBER ? "X"
                                     : "WORD",
                 help);
}

_Noreturn void
print_help(int command)
{
    for (int i = 0; i < commands_count; i++)
        if (commands[i].bit == command)
            printf("qkv %s [options]%s%s\n%s\n\n", commands[i].name,
                   *commands[i].arguments ? " " : "", commands[i].arguments,
                   commands[i].what);
    for (int i = 0; i < own_count; i++) {
        char letter[8] = "   ";
        if (own[i].letter)
            snprintf(letter, sizeof letter, "-%c,", own[i].letter);
        if (own[i].bits & command)
            print_option(letter, own[i].name, own[i].argument, own[i].help);
    }
    print_option("-h,", "help", NULL, "this");
    if (command &
        ~(PLOT | INSPECT | CHECK | NEW | EXPORT | REPORT | COMPLETION | MERGE))
        printf("\nSettings; in brackets what they are unless the task, or you, "
               "say otherwise%s\n",
               command == COMPARE ? ".\nA list a,b,c makes a grid:" : ":");
    for (int i = 0; i < setting_count; i++)
        if (takes(command, &settings[i]))
            print_setting(&settings[i], command);
    exit(end_well(0));
}
