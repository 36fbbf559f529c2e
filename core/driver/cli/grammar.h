/* grammar.h - the commands and their options, for the parser, for --help
   and for the shell's completion. */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include "driver/cli/options.h"

typedef struct Command {
    const char *name, *arguments, *what;
    int bit;
    int roles;        /* of the settings that it takes, */
    const char *also; /* and names of further ones */
} Command;
extern const Command commands[];
extern const int commands_count;

/* A MAYBE has a value or none: --plan, --plan=slurm; an OF_SETTING is a line of
   settings[]. */
typedef enum { SWITCH, TEXT, COUNT, MAYBE, OF_SETTING } Shape;
typedef struct Option {
    const char *name, *argument, *help;
    int letter, commands; /* the commands that take it */
    Shape shape;
    size_t offset;       /* in Options; of a setting its place in settings[] */
    const char *choices; /* the words that it may be, where they are known */
    const char *start;   /* what it is unless it is given */
} Option;

/* All options that a command takes, its own and then settings; their number. */
enum { MOST_OPTIONS = 96 };
int options_of(int command, Option list[MOST_OPTIONS]);

/* Prints what --help does, and ends. */
_Noreturn void print_help(int command);

#endif
