/* options.h - the words of a command line, taken apart.

   Options come from two tables: the settings of a run (settings.h) and those
   of the commands themselves (grammar.c). --help is printed from the same two.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

#include "config/find_plugin.h"
#include "page/draw.h"
#include "page/escape.h"
#include "run/grid.h"

enum { MOST_THREADS = 64 };

/* What was asked of a command: what several take, and then what one takes. */
typedef struct Options {
    Request request;
    Values named; /* the options that were given, as "--out" */
    char **rest;  /* what is no option */
    int rest_count;
    int cores; /* of this machine */
    const char *out;
    bool tsv, markdown, latex, quiet;
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
    bool attention;      /* of inspect */
    bool heads, spectra; /* of open */
    const char *slim, *to;
    int layer, head;
} Options;

/* Of the command that argv[0] names. Exits (2) with what is wrong, or (0) after
   --help. */
Options options_read(int argc, char **argv);

/* The plugin that a word of the command line names: ./mine.c is compiled. Makes
   settings of what it declares; exits if one of them is there already. */
const char *plugin_meant(const char *word);

/* What --tsv, --markdown or --latex ask for, else ALIGNED on a terminal
   and TSV in a pipe. */
Layout layout_of(const Options *o);

#endif
