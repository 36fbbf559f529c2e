/* own_options.h - the commands, and the options that are no settings of a run:
   one table each, for the parser and for --help. */
#ifndef OWN_OPTIONS_H
#define OWN_OPTIONS_H

#include "driver/cli/options.h"

typedef struct Command {
    const char *name, *arguments, *what;
    int bit;
    int roles;        /* of the settings that it takes, */
    const char *also; /* and names of further ones */
} Command;
extern const Command commands[];
extern const int commands_count;

/* A MAYBE has a value or none: --plan, --plan=slurm. */
typedef enum { SWITCH, TEXT, COUNT, MAYBE } Shape;
typedef struct Own {
    const char *name, *argument, *help;
    int letter, bits; /* the commands that take it */
    Shape shape;
    size_t offset; /* in Options */
} Own;
extern const Own own[];
extern const int own_count;

/* Does a command take that setting as an option? */
bool takes(int command, const Setting *s);

/* Prints what --help does, and ends. */
_Noreturn void print_help(int command);

#endif
