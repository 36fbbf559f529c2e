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

/* Reads the run that others begin from. What is asked for has that run's
   settings, except for those that are given, which may be of these roles; with
   shapes embed, too. */
Run begin_from(Request *r, const char *run, int roles);

/* Draws into d->out/figures the curves over training and the parameters. These
   are those of the whole directory, since their figure has no task's name. */
void draw_all(const Drawing *d, const Request *r, const Experiment *e,
              const Experiment *whole);

#endif
