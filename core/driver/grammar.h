/* grammar.h - the commands and their options, and --help, which says them. */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stdbool.h>

#include "config/settings.h"
#include "page/draw.h"
#include "run/grid.h"
#include "study/question.h"

enum { MOST_THREADS = 64 };

/* The options given to a command: those that several commands take, then those
   that only one takes. */
typedef struct Options {
    Request request;
    Values named; /* the options that were given, as "--out" */
    char **rest;  /* the words that are no options */
    int rest_count;
    int cores; /* of this machine */
    const char *out;
    bool out_given; /* by --out; else it is what is usual */
    bool tsv, json, markdown, latex, quiet;
    const char *columns; /* of a table, NULL: all */
    Drawing draw;
    const char *preset, *config;
    bool real;                        /* of count */
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
    const char *slim, *to, *against;
    int layer, head, kv_heads;
} Options;

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

/* An option: a setting of runs, which has a role, or one of the command itself.
 */
typedef struct Option {
    Setting value; /* the offset of a command's own option is that in Options */
    const char *argument; /* what --help calls its value, or NULL */
    const char *commands; /* the commands that take it, if it is their own */
    int letter;           /* its short form, or 0 */
    bool common;          /* are people likely to look for it? */
} Option;

/* Lists the options that a command takes, settings first and then its own, and
   returns how many there are. */
enum { MOST_OPTIONS = 104 };
int options_of(const Command *c, Option list[MOST_OPTIONS]);

/* Exits (2) if one of the options given to a command, such as "--out", would
   have no effect. "RUN" stands for a word that the command does not need. */
void check_together(const Command *c, const Values *given);

/* What `qkv` and `qkv help` print. */
void print_commands(void);

/* Prints what a command does, and the options that people look for, or all. */
void print_help(const Command *c, bool all);

#endif
