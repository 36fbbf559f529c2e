/* compare.h - the parts of `qkv compare` that other commands use, too. */
#ifndef COMPARE_H
#define COMPARE_H

#include "driver/options.h"
#include "run/experiment.h"
#include "run/grid.h"

/* The list of variants that are compared if the user names none, "a,b,c". */
extern const char default_variants[];

/* Sets the variants, the tasks and the seeds to these lists, "a,b,c", except
   those that the user gave. With --file, the default task is text. */
void resolve_grid(Options *o, const char *variants, const char *tasks_wanted,
                  const char *seeds);

/* Reads the run with whose weights others begin, and makes its settings the
   defaults of the request. Exits (2) if the user gave a setting that has none
   of these roles; with OF_SHAPE, embed may be given, too. */
Run begin_from(Request *r, const char *run, int roles);

/* Draws the curves of e over training into d->out/figures, and one figure with
   the parameters of all runs of that directory. */
void draw_all(const Drawing *d, const Request *r, const Experiment *e,
              const Experiment *in_directory);

#endif
