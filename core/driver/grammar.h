/* grammar.h - the commands and their options, and --help, which says them. */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include "driver/options.h"

typedef struct Command {
    const char *name, *arguments, *what;
    const char *examples[2];
    int least, most;   /* how many words it takes besides options */
    int roles;         /* of the settings that it takes, */
    int lists;         /* those of them that it takes several values of, */
    const char *also;  /* names of further settings, */
    const char *start; /* and what some of them are unless given */
} Command;
extern const Command commands[];
extern const int commands_count;
const Command *command_named(const char *name);

/* What an option is given, besides what a setting can be: nothing, or a text
   with any characters. */
enum { SWITCH = 0, TEXT = 1024 };

typedef struct Option {
    const char *name;
    int kind;             /* INTEGER, NUMBER, WORD or one of those above */
    const char *argument; /* what --help calls its value, or NULL */
    const char *help;
    const char *commands;   /* those that take it */
    size_t offset;          /* of its value in Options */
    const char *choices;    /* the words that it may be, one or a list */
    int letter;             /* its short form, or 0 */
    double most;            /* of a number; 0: a million */
    bool common;            /* are people likely to look for it? */
    const Setting *setting; /* the setting that it gives a value to, or NULL */
} Option;

/* All options that a command takes, its own and then settings; their number. */
enum { MOST_OPTIONS = 104 };
int options_of(const Command *c, Option list[MOST_OPTIONS]);

/* What `qkv` and `qkv help` print. */
void print_commands(void);

/* Prints what a command does, and the options that people look for, or all. */
void print_help(const Command *c, bool all);

#endif
