/* option_table.h - the tables of commands and of their options. */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include <stdbool.h>

#include "page/gnuplot_files.h"
#include "run/grid.h"
#include "study/judge_csv.h"

enum { MOST_THREADS = 64 };

/* A command line that was read: first the options of several commands, then
   the options of a single one. If an option was not given, its field is NULL, 0
   or false, unless a comment names another default. own_options
   (option_table.c) says what each option does. */
typedef struct Options {
    Request request;      /* settings of runs, and what to do with them */
    Values options_given; /* their names, such as "--out" */
    const char **words;   /* the words that are not options */
    int word_count;
    int cores;           /* of this machine */
    int seeds, head_dim; /* --seeds, --head-dim: short for settings of runs */
    const char *out;     /* a directory; options_read sets the default */
    bool out_given;      /* whether the user gave --out */
    bool tsv, json, markdown, latex, quiet;
    const char *columns; /* the columns of a table to print, "a,b" */
    Drawing draw;        /* the options of figures */
    const char *preset, *config, *part; /* of count */
    bool real, whole;                   /* of count */
    bool verdicts;                      /* of table */
    bool tasks, models, forms, names;   /* of list */
    bool plan, no_figures;              /* of compare */
    struct {
        const char *prompt; /* default "" */
        double temperature; /* default 1; also that of seed and samples */
        int tokens, seed, top_k, samples;
    } generate;
    Question question; /* of judge */
    bool attention;    /* of inspect */
    /* of open */
    bool heads;      /* print a row for each head instead of each layer */
    bool draw_heads; /* --draw: draw a figure of all heads */
    const char *slim, *to, *against, *npy;
    int layer;    /* counted from 1; default 1 */
    int head;     /* counted from 1 */
    int kv_heads; /* how many heads of keys and values the model will have */
} Options;

typedef struct Command {
    const char *name;      /* "plot" */
    const char *arguments; /* the words that it takes, "[RUN ...]" */
    const char *purpose;   /* what it does, for --help */
    const char *examples[2];
    int least_words, most_words; /* how many words the command takes besides
                                    options */
    int setting_roles; /* the command takes the settings with these roles
                          (config/settings.h) */
    int list_roles;    /* settings of these roles may have a list of values */
    const char *more_settings; /* names of further settings that the command
                                  takes, or NULL */
    const char *defaults;      /* its own defaults, "heads=2", or NULL */
} Command;
extern const Command commands[];
extern const int commands_count;
const Command *command_named(const char *name); /* NULL if there is none */

/* An option is a setting of runs, or a command's own option, which has no role.
 */
#define is_own_option(setting) ((setting)->role == 0)
typedef struct Option {
    Setting value; /* name, type and help. The offset of a setting is that of a
                      field of Config, and the offset of an own option is that
                      of a field of Options. */
    const char *argument; /* the name of its value in --help; NULL: a switch */
    const char *commands; /* of an own option: the commands that have it */
    int letter;           /* 'o' if -o is its short form, or 0 */
    bool common;          /* whether --help shows the option, or only
                             --help=all */
} Option;

/* Lists the options that a command takes, first the settings of runs and then
   its own options, and returns how many there are. MOST_OPTIONS is enough for
   all settings and own options together. */
enum { MOST_OPTIONS = 128 };
int options_of(const Command *c, Option list[MOST_OPTIONS]);

/* Exits (2) if one of the options given to a command, such as "--out", would
   have no effect together with the others. `given` also has "RUN" if the
   command got an optional word, as in `qkv count RUN`. */
void check_together(const Command *c, const Values *given);

#endif
