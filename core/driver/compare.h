/* compare.h - the parts of a comparison that other commands use too. */
#ifndef COMPARE_H
#define COMPARE_H

#include "driver/options.h"
#include "run/experiment.h"
#include "run/grid.h"

/* The variants of the questions: those of a comparison unless it is told. */
extern const char default_variants[];

/* Gives variants and tasks the values of these lists "a,b,c" unless the user
   gave them some (a --file is task text), and so seeds. */
void resolve_grid(Options *o, const char *variants, const char *tasks_wanted,
                  const char *seeds);

/* Reads the run that others begin from. They get its settings, except for those
   that the user gave, which must have one of these roles; with OF_SHAPE, embed
   may be given, too. Exits (2) if others are given. */
Run begin_from(Request *r, const char *run, int roles);

/* Draws the curves of e over training, and the parameters of `whole`, into
   d->out/figures. `whole` is the whole directory, because the figure of the
   parameters has no task in its name. */
void draw_all(const Drawing *d, const Request *r, const Experiment *e,
              const Experiment *whole);

#endif
