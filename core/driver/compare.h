/* compare.h - the parts of `qkv compare` that other commands use, too. */
#ifndef COMPARE_H
#define COMPARE_H

#include "driver/options.h"
#include "run/experiment.h"
#include "run/grid.h"

/* The variants that are compared if the user names none, "a,b,c". */
extern const char default_variants[];

/* Gives variants, tasks and seeds the values of these lists, "a,b,c", unless
   the user gave them some. With --file, the task is text. */
void resolve_grid(Options *o, const char *variants, const char *tasks_wanted,
                  const char *seeds);

/* Reads the run from which others begin. They get its settings, except those
   that the user gave. Exits (2) if the user gave a setting that has none of
   these roles; embed is allowed together with OF_SHAPE. */
Run begin_from(Request *r, const char *run, int roles);

/* Draws the curves of e over training, and the parameters of `whole`, into
   d->out/figures. `whole` has all runs of that directory, because the figure of
   the parameters is one for all tasks. */
void draw_all(const Drawing *d, const Request *r, const Experiment *e,
              const Experiment *whole);

#endif
