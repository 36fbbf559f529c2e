/* edit.h - what somebody could have done to an experiment, drawn at random.

   `edit` changes a valid experiment in place: cells, rows and columns of its
   tables, headers of its matrices, lines of its recipe, names, and what kind
   of file each is. A config that was changed keeps its run's name honest: the
   digest in it is computed again, mostly, so that the run is read and not only
   its name refused. The draws are a fuzzer's bytes or a generator's numbers. */
#ifndef EDIT_H
#define EDIT_H

#include <stddef.h>
#include <stdint.h>

#include "math/random.h"

typedef struct Draw {
    const uint8_t *bytes; /* until they are used up, where `random` is NULL */
    size_t left;
    Random *random;
} Draw;

/* A number within 0 .. n - 1. */
int draw(Draw *d, int n);

/* One of NULL-terminated words, and words that are often trouble: commands
   for gnuplot and a shell that make the file $Q, markup, control characters,
   numbers at the limits. */
const char *draw_word(Draw *d, const char *const *words);
const char *hostile_word(Draw *d);

/* Changes the experiment. `canary` is a plugin that nobody may open. */
void edit(const char *experiment, const char *canary, Draw *d);

/* A directory within `experiment`, by its rank in order of name, that has or
   had a run in it; "" if there is none. */
const char *draw_run(const char *experiment, Draw *d);

#endif
