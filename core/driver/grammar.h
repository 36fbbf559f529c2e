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
    Request request;
    Values named; /* the options that were given, as "--out" */
    char **rest;  /* the words that are not options */
    int rest_count;
    int cores; /* of this machine */
    const char *out;
    bool out_given; /* by --out; else `out` is the default */
    bool tsv, json, markdown, latex, quiet;
    const char *columns; /* of a table; NULL: all */
    Drawing draw;
    const char *preset, *config, *part;
    bool real, whole;                 /* of count */
    bool verdicts;                    /* of table */
    bool tasks, models, forms, names; /* of list */
    bool plan, no_figures;            /* of compare */
    struct {
        const char *prompt;
        double temperature;
        int tokens, seed, top_k, samples;
    } generate;
    Question question;   /* of judge */
    bool attention;      /* of inspect */
    bool heads, spectra; /* of open */
    const char *slim, *to, *against, *npy;
    int layer, head, kv_heads;
} Options;

typedef struct Command {
    const char *name, *arguments, *what;
    const char *examples[2];
    int least, most; /* the least and the most words that it takes, not counting
                        options */
    int roles;       /* the roles of the settings that it takes */
    int lists;       /* the roles of settings that may have several values */
    const char *also;  /* the names of further settings that it takes */
    const char *start; /* defaults of this command, "heads=2" */
} Command;
extern const Command commands[];
extern const int commands_count;
const Command *command_named(const char *name);

/* An option: a setting of runs, which has a role, or one of the command itself.
 */
typedef struct Option {
    Setting value;        /* a command's own option has its offset in Options */
    const char *argument; /* the name of its value in --help, or NULL */
    const char *commands; /* the commands that take it, if it is their own */
    int letter;           /* its short form, or 0 */
    bool common;          /* does --help show it, or only --help=all? */
} Option;

/* Lists the options that a command takes, settings first and then its own, and
   returns how many there are. */
enum { MOST_OPTIONS = 104 };
int options_of(const Command *c, Option list[MOST_OPTIONS]);

/* Exits (2) if one of the options given to a command, such as "--out", would
   have no effect. `given` has "RUN" if the command got more words than it
   needs. */
void check_together(const Command *c, const Values *given);

/* Prints the list of commands, as `qkv` and `qkv help` do. */
void print_commands(void);

/* Prints the help of a command, with its common options, or with all. */
void print_help(const Command *c, bool all);

#endif
