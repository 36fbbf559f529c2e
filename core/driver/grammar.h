/* grammar.h - the commands and their options, for the parser and for --help. */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include "driver/options.h"

typedef struct Command {
    const char *name, *arguments, *what;
    int bit;
    int least, most;  /* how many words it takes besides options */
    int roles;        /* of the settings that it takes, */
    const char *also; /* and names of further ones */
} Command;
extern const Command commands[];
extern const int commands_count;
const Command *command_of(int bit);

/* Those that are shell scripts over the others: plots/commands/NAME.sh. */
typedef struct Script {
    const char *name, *what;
} Script;
extern const Script scripts[];
extern const int scripts_count;

/* A MAYBE has a value or none: --real, --real=fitted; a PROMPT is any text; an
   OF_SETTING is a line of settings[]. */
typedef enum {
    SWITCH,
    TEXT,
    PROMPT,
    COUNT,
    REAL,
    MAYBE,
    HELP,
    OF_SETTING
} Shape;
typedef struct Option {
    const char *name, *argument, *help;
    int letter, commands; /* the commands that take it */
    Shape shape;
    size_t offset;       /* in Options; of a setting its place in settings[] */
    const char *choices; /* the words that it may be, where they are known */
    const char *start;   /* what it is unless it is given */
} Option;

/* All options that a command takes, its own and then settings; their number. */
enum { MOST_OPTIONS = 112 };
int options_of(int command, Option list[MOST_OPTIONS]);

/* Is it a built-in option of some command, or a key of experiment.tsv? */
bool option_taken(const char *name);

/* Prints what --help does, and ends. */
_Noreturn void print_help(int command);

#endif
