/* options.h - the words of a command line, taken apart.

   Options come from two tables: the settings of a run (settings.h) and those
   of the commands themselves. --help is printed from the same two. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

#include "base/words.h"
#include "config/settings.h"

enum { MOST_THREADS = 64 };
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
    TABLE = 4096,
    GENERATE = 8192
}; /* a command's bit */

/* A figure that is asked for. */
typedef struct Drawing {
    const char *out; /* goes into figures/ there */
    const char *format, *size, *x, *y, *by, *facet, *title, *labels;
    const char *show, *rename, *spread, *xlim, *ylim; /* or NULL */
    bool map, log_x, log_y, quiet;
    bool together; /* groups of a task are panels of one figure */
} Drawing;

/* How runs are trained, and where they go. */
typedef struct Work {
    const char *out, *from;
    int jobs, threads, timeout, memory; /* seconds, megabytes; 0: not given */
    bool no_weights, redo, keep, quiet;
} Work;

/* What was asked of a command: what several take, and then what one takes. */
typedef struct Options {
    Values *given; /* by place in settings[]; count 0: not given */
    char **rest;   /* what is no option */
    int rest_count;
    int cores; /* of this machine */
    const char *out;
    bool tsv, markdown, latex, json, quiet;
    Work work;
    Drawing draw;
    const char *by, *baseline, *judge, *margin, *to, *batch;
    struct {
        int seeds;
        bool plan;
        bool no_figures;
    } compare;
    bool again;    /* of plot */
    bool verdicts; /* of table */
    struct {
        bool tasks, variants, real, family;
    } list;
    struct {
        const char *preset;
        const char *real;
        bool weights;
    } count;
    struct {
        bool characters;
        int head;
    } trace;
    struct {
        const char *prompt, *as;
        double temperature; /* negative: not given */
        int tokens, top_k, seed, samples;
        bool greedy;
    } generate;
    struct {
        bool attention, range, spectrum;
    } inspect;
} Options;

/* The words of --format, and what it is unless it is given. */
#define FORMATS "svg png pdf tikz cairolatex dumb"
extern const char default_y[];

/* Exits (2) with what is wrong, or (0) after --help. */
Options options_read(int argc, char **argv, int command);
void options_free(Options *o);

/* The values given to the setting of that name. */
Values *options_given(const Options *o, const char *setting);

/* Gives what was given to settings to c. */
void options_apply(const Options *o, Config *c);

/* Exits for a shape option that was given and that none of these variants uses
   (variant_uses): it would change nothing. */
void options_used(const Options *o, const char *const *uses, int count);

/* What `qkv` and `qkv help` print. */
void print_commands(void);

#endif
