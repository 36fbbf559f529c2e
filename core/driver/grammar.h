/* grammar.h - the commands and their options, and --help, which prints them. */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stdbool.h>

#include "config/settings.h"
#include "page/draw.h"
#include "run/grid.h"
#include "study/judge_csv.h"

enum { MOST_THREADS = 64 };

/* The options given to a command: first the options of several commands, then
   the options of a single one. */
typedef struct Options {
    Request request; /* settings of runs, and what to do with them */
    Values named;    /* the options that were given, as "--out" */
    char **rest;     /* the words that are not options */
    int rest_count;
    int cores;       /* of this machine */
    const char *out; /* a directory; set_defaults sets it if it is not given */
    bool out_given;
    bool tsv, json, markdown, latex, quiet;
    const char *columns; /* of a table, "a,b"; NULL: all */
    Drawing draw;
    const char *preset, *config, *part; /* of count */
    bool real, whole;                   /* of count */
    bool verdicts;                      /* of table */
    bool tasks, models, forms, names;   /* of list */
    bool plan, no_figures;              /* of compare */
    struct {
        const char *prompt;
        double temperature;
        int tokens, seed, top_k, samples;
    } generate;
    Question question; /* of judge */
    bool attention;    /* of inspect */
    /* of open: `spectra` is --draw; numbers are 0 if they are not given, except
       that of the layer, which is 1 then */
    bool heads, spectra;
    const char *slim, *to, *against, *npy;
    int layer, head, kv_heads;
} Options;

typedef struct Command {
    const char *name, *arguments, *what; /* "plot", "[RUN ...]", what it does */
    const char *examples[2];
    int least, most;   /* how many words it takes, not counting options */
    int roles;         /* it takes the settings that have one of these roles */
    int lists;         /* it takes lists of values for these roles' settings */
    const char *also;  /* the names of further settings that it takes */
    const char *start; /* defaults of this command, "heads=2" */
} Command;
extern const Command commands[];
extern const int commands_count;
const Command *command_named(const char *name);

/* An option: a setting of runs, which has a role, or a command's own option,
   which has none. */
typedef struct Option {
    Setting value; /* its offset is that of a field of Config or, of a command's
                      own option, of Options */
    const char *argument; /* the name of its value in --help; NULL: a switch */
    const char *commands; /* the commands whose own option it is */
    int letter;           /* 'o' if -o is its short form, or 0 */
    bool common;          /* does --help show it, or only --help=all? */
} Option;

/* Lists the options that a command takes, first the settings and then its own,
   and returns how many there are. MOST_OPTIONS is enough for all the settings
   and own options that exist. */
enum { MOST_OPTIONS = 128 };
int options_of(const Command *c, Option list[MOST_OPTIONS]);

/* Exits (2) if one of the options given to a command, such as "--out", would
   have no effect beside the others. `given` has "RUN", too, if the command got
   more words than it needs, as in `qkv count RUN`. */
void check_together(const Command *c, const Values *given);

/* Prints the list of commands, as `qkv` and `qkv help` do. */
void print_commands(void);

/* Prints the help of a command, with its common options, or with all. */
void print_help(const Command *c, bool all);

#endif
