/* options.h - the words of a command line, taken apart.

   Options come from two tables: the settings of a run (config.h) and those of
   the commands themselves. --help is printed from the same two. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

#include "base/words.h"
#include "task/config.h"

enum {
    LIST = 1,
    TRAIN = 2,
    COMPARE = 4,
    PLOT = 8,
    INSPECT = 16,
    EQUIV = 32,
    COUNT_COSTS = 64,
    CHECK = 128,
    NEW = 256,
    TRACE = 512,
    EXPORT = 1024,
    BENCH = 2048,
    REPORT = 4096,
    COMPLETION = 8192,
    TABLE = 16384
}; /* a command's bit */

/* A figure that is asked for. */
typedef struct Drawing {
    const char *out; /* goes into figures/ there */
    const char *format, *size, *x, *y, *by, *facet, *title, *labels;
    bool log_x, log_y, bare, quiet;
} Drawing;

typedef struct Options {
    Values *given; /* by place in settings[]; count 0: not given */
    Drawing draw;
    const char *out, *to, *preset, *batch_directory, *from, *baseline, *judge,
        *recipe, *plan;
    int jobs, threads, seeds, head, timeout, memory;
    bool log_x, log_y, spectrum, tsv, quiet, no_weights, no_figures, redo, keep,
        only_tasks, only_variants, by_character, attention, weights, range,
        markdown, latex, json;
    char **rest; /* what is no option */
    int rest_count;
} Options;

/* The words of --format, and what it is unless it is given. */
#define FORMATS "svg png pdf tikz cairolatex dumb"
extern const char default_format[], default_y[];

/* Exits (2) with what is wrong, or (0) after --help. */
Options options_read(int argc, char **argv, int command);
void options_free(Options *o);

/* The values given to the setting of that name. */
Values *options_given(const Options *o, const char *setting);

/* Gives what was given to settings to c. */
void options_apply(const Options *o, Config *c);

/* What `qkv` and `qkv help` print. */
void print_commands(void);

#endif
