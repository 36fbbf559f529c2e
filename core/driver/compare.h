/* compare.h - functions of `qkv compare` that other commands use, too. */
#ifndef COMPARE_H
#define COMPARE_H

#include "driver/options.h"

/* The variants, "a,b,c", that are used if the user names none. */
extern const char default_variants[];

/* Sets the variants, the tasks and the seeds to these defaults, lists such as
   "a,b,c", unless the user gave them. With --file, the default task is text. */
void default_grid(Options *o, const char *variants,
                  const char *tasks_without_file, const char *seeds);

/* Reads the run at the path `run`, and makes its settings the defaults of the
   request, whose runs will begin with its weights. Exits (2) if the user gave a
   setting that has none of the roles `allowed` (config/settings.h). If OF_SHAPE
   is allowed, so is --embed, because a conversion can fold an embedding into
   attention (algebra/convert.h). */
Run begin_from(Request *r, const char *run, int allowed);

/* Draws into d->out/figures the curves of the runs of e over training, unless
   the first of these has no steps; and the number of parameters of each variant
   in `in_directory`, all the runs of a directory. */
void draw_all(const Drawing *d, const Request *r, const Experiment *e,
              const Experiment *in_directory);

#endif
