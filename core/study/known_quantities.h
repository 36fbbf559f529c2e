/* known_quantities.h - what is known of each number that runs have: its name on
   an axis and in a sentence, whether less or more of it is better, how large a
   difference matters, and how it is averaged. */
#ifndef KNOWN_QUANTITIES_H
#define KNOWN_QUANTITIES_H

#include <stdbool.h>

#include "math/statistics.h"
#include "study/run_values.h"
#include "tasks/tasks.h"

enum { LEVELS = 2 }; /* horizontal lines that a figure may draw */

typedef struct Quantity {
    const char *name;         /* as in run_values.h, or a column of log.tsv */
    const char *title, *unit; /* of an axis; NULL: no unit */
    enum { OTHER, LOSS, ACCURACY } measure;
    enum { NEITHER, LESS, MORE } better; /* NEITHER: it is never judged */
    /* SHARE is from 0 to 1; POWERS may span powers of ten, so that its axis is
       logarithmic. */
    enum { ANY, SHARE, POWERS } scale;
    const char *word;   /* its name in a sentence; NULL: `name` with spaces */
    bool steps;         /* true for a number of steps to a threshold. The
                           average is then the median, and NaN is a run that
                           never reached the threshold, which counts as later
                           than all others */
    const char *margin; /* a smaller difference does not matter; "10%" is of the
                           baseline; NULL: there is no usual margin */
    /* Results such as "chance_loss", with a word for each, "guessing". A figure
       draws a line, with its word, at the first one that all its runs share. */
    struct {
        const char *name, *word;
    } levels[LEVELS];
} Quantity;

/* What is known of the quantity of that name. An unknown quantity has its name
   as its title, has no margin, and is never judged. */
const Quantity *quantity_named(const char *name);

/* Returns the quantity's name in a sentence: "test accuracy", "steps". */
char *quantity_words(const char *name);

/* The title of an axis for a quantity or a setting, with its unit. */
char *axis_title(const char *name);

/* The same for an axis that shows only this task: an accuracy has the name of
   the task's measure, such as "R^2", and a squared error has no unit. */
char *axis_title_for_task(const char *name, const KnownTask *t);

/* The names of the quantities in a list of margins,
   "test_accuracy=0.02,solved_at=5%"; none if the list is NULL. Exits (2) if a
   margin is no positive number. */
Values margin_names(const char *margins);

/* The margin that the list `margins` has for the quantity `name`, as a text,
   "0.02" or "5%". NULL if it has none, or if the list is NULL. */
const char *margin_given(const char *margins, const char *name);

/* A margin, such as "0.01" or "10%", as a number in the quantity's unit: the
   largest difference that does not matter. A margin in per cent is relative to
   the mean absolute value of `base`, the `count` values of the baseline. NaN if
   `margin` is NULL. */
double margin_in_unit(const char *margin, const double *base, int count);

/* Exits (2) unless all runs have the quantity: in their logs if `logged`, else
   as a number among their results and settings. */
void check_quantity(const Experiment *e, const char *name, bool logged);

/* The mean of n values of a quantity, with its interval by Student's t. The
   interval is cut to possible values: from 0 to 1 for a share, and from 0 if no
   value is negative. */
Mean values_mean(const char *name, const double *x, int n);

/* The mean of a quantity over one or more runs, or the median of steps to a
   threshold. A run that never reached the threshold counts as later than all
   others. If the median is such a run, the result is the number of steps that
   the longest run took. */
Mean quantity_mean(const Run *const *runs, int count, const char *name);

#endif
