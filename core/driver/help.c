/* help.c - `qkv help` and `qkv COMMAND --help`, from the tables of commands and
   of their options (option_table.c). */
#include <stdio.h>

#include "driver/help.h"
#include "page/table.h"

void
print_commands(void)
{
    printf("qkv - which of the matrices in attention are really there?\n\n");
    for (int i = 0; i < commands_count; i++)
        printf("  qkv %-10s %s\n", commands[i].name, commands[i].purpose);
    printf("\n`qkv COMMAND --help` says more. A good place to start is `qkv "
           "compare`.\n");
}

/* The default of a setting of runs, as print_option shows it. It is "" for an
   own option, whose help already has the default, and for a word, whose default
   is empty or depends on the command. */
static const char *
default_shown(const Command *c, const Setting *s)
{
    Config defaults = config_start();
    if (is_own_option(s) || s->kind & WORDED)
        return "";
    if (c->defaults) /* the command replaces some of the usual ones */
        config_apply(&defaults, c->defaults);
    return setting_text(s, &defaults);
}

/* The column at which the help text of an option begins. */
enum { HELP_COLUMN = 28 };

/* Prints an option on the left, and on the right what it does, its choices, and
   its default in brackets. */
static void
print_option(const Command *c, const Option *o)
{
    const Setting *s = &o->value;
    const char *letter = o->letter ? format_text("-%c,", o->letter) : "";
    const char *argument = o->argument ? format_text(" %s", o->argument) : "";
    const char *default_text = default_shown(c, s), *help = s->help;
    int column = printf("  %3s --%s%s", letter, s->name, argument);
    if (column >= HELP_COLUMN) { /* the help text begins on the next line */
        printf("\n");
        column = 0;
    }
    if (s->choices)
        help = format_text("%s: %s", help, s->choices);
    if (*default_text)
        help = format_text("%s (%s)", help, default_text);
    print_wrapped(column, HELP_COLUMN, help);
}

void
print_help(const Command *c, bool all)
{
    Option list[MOST_OPTIONS];
    int count = options_of(c, list);
    printf("qkv %s [options]%s%s\n", c->name, *c->arguments ? " " : "",
           c->arguments);
    print_paragraph(c->purpose);
    printf("\n    %s\n    %s\n", c->examples[0], c->examples[1]);
    bool is_first = true;
    for (int i = 0; i < count; i++)
        if (all || list[i].common) {
            if (is_first) /* a command without common options has no list */
                printf("\n");
            print_option(c, &list[i]);
            is_first = false;
        }
    printf(
        "\nDefaults are in brackets; some tasks override them. An option that "
        "would have\nno effect with the others is refused. More: %s\n",
        all ? "lessons/reference.md" : "--help=all");
}
