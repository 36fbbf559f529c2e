/* options.h - the words of a command line, taken apart.

   Options come from two tables: the settings of a run (settings.h) and those
   of the commands themselves. --help is printed from the same two. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

#include "run/request.h"
#include "study/drawing.h"
#include "study/escape.h"

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

/* What was asked of a command: what several take, and then what one takes. */
typedef struct Options {
    Request request;
    char **rest; /* what is no option */
    int rest_count;
    int cores; /* of this machine */
    const char *out;
    bool tsv, markdown, latex, json, quiet;
    const char *columns; /* of a table, NULL: all */
    Drawing draw;
    const char *to, *batch;
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

/* Exits (2) with what is wrong, or (0) after --help. */
Options options_read(int argc, char **argv, int command);

/* What --tsv, --markdown, --latex or --json ask for, else ALIGNED on a terminal
   and TSV in a pipe. */
Layout layout_of(const Options *o);

/* What `qkv` and `qkv help` print. */
void print_commands(void);

#endif
