/* known_quantities.h - facts about each number that runs have: its name on an
   axis and in a sentence, whether less or more of it is better, how large a
   difference matters, and how it is averaged. */
#ifndef KNOWN_QUANTITIES_H
#define KNOWN_QUANTITIES_H

#include <stdbool.h>

#include "math/statistics.h"
#include "study/run_values.h"
#include "tasks/tasks.h"

enum { LEVELS = 2 }; /* the most levels that a quantity has */

typedef struct Quantity {
    const char *name;         /* as in run_values.h, or a column of log.tsv */
    const char *title, *unit; /* of its axis; unit is NULL if it has none */
    enum { OTHER, LOSS, ACCURACY } measure;
    enum { NEITHER, LESS, MORE } better; /* NEITHER: it is never judged */
    /* The range of values, for the axis: any; a SHARE, from 0 to 1; or POWERS,
       which may span powers of ten, on a logarithmic axis. */
    enum { ANY, SHARE, POWERS } scale;
    const char *word;   /* its name in a sentence; NULL for `name` with spaces
                           instead of _ */
    bool steps;         /* true for a number of steps to a threshold. It is
                           averaged by the median. NaN is a run that never
                           reached the threshold, and counts as later than all
                           others */
    const char *margin; /* the usual margin, "0.01", or "10%" of the baseline: a
                           smaller difference does not matter. NULL if none */
    /* Results such as "chance_loss", each with a word, "guessing"; or "steps",
       those that were asked. A panel of a figure has a horizontal line, with
       this word, at the first of them that is the same in all its runs. */
    struct {
        const char *name, *word;
    } levels[LEVELS];
} Quantity;

/* The quantity of that name. If the name is not known, the quantity has its
   name as its title, has no margin, and is never judged. */
const Quantity *quantity_named(const char *name);

/* The quantity's name in a sentence: "test accuracy", "steps". */
char *quantity_words(const char *name);

/* The title of an axis for a quantity or a setting, with its unit. */
char *axis_title(const char *name);

/* The same for tasks that call their accuracy `measure`, such as "R^2": an
   accuracy is called so, and a loss has a unit only if it is "accuracy". */
char *axis_title_measured(const char *name, const char *measure);

/* The names of the quantities in a list of margins, such as
   "test_accuracy=0.02,solved_at=5%"; none if the list is NULL. Exits (2) if a
   margin is not a positive number. */
Values margin_names(const char *margins);

/* The margin for the quantity `name` in the list `margins`, as a text, "0.02"
   or "5%"; NULL if it has none, or if the list is NULL. */
const char *margin_given(const char *margins, const char *name);

/* A margin, such as "0.01" or "10%", as a number in the quantity's unit: the
   largest difference that does not matter. A margin in per cent is relative to
   the mean absolute value of `base`, the `count` values of the baseline. NaN if
   `margin` is NULL. */
double margin_in_unit(const char *margin, const double *base, int count);

/* Exits (2) unless all runs have the quantity: as a column of their logs, or as
   a number among their results and settings. */
void check_logged(const Experiment *e, const char *name);
void check_results(const Experiment *e, const char *name);

/* The mean of n values of a quantity, with its interval by Student's t. The
   interval is clipped to possible values: at most 1 if the scale is SHARE, and
   at least 0 if it is SHARE or POWERS and no value is negative. */
Mean values_mean(const char *name, const double *x, int n);

/* The mean of a quantity over one or more runs, or its median if it is a number
   of steps to a threshold. A run that never reached the threshold then counts
   as later than all others. If the median is such a run, the result is the
   number of steps that were asked of the longest run, even if it diverged after
   fewer. */
Mean quantity_mean(const Run *const *runs, int count, const char *name);

#endif
