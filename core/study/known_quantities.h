/* known_quantities.h - each number that runs have: how it is called, whether
   less or more is better, how it is drawn and averaged. */
#ifndef KNOWN_QUANTITIES_H
#define KNOWN_QUANTITIES_H

#include <stdbool.h>

#include "math/statistics.h"
#include "study/run_values.h"
#include "tasks/tasks.h"

enum { LEVELS = 2 };

typedef struct Quantity {
    const char *name;         /* as in run_values.h */
    const char *title, *unit; /* of an axis */
    enum { OTHER, LOSS, ACCURACY } measure;
    enum { NEITHER, LESS, MORE } better;
    enum {
        ANY,
        SHARE,
        POWERS
    } scale;          /* SHARE: from 0 to 1; POWERS: may span
                         powers of ten */
    const char *word; /* its name in a sentence; NULL: `name` with spaces */
    bool median; /* is its average the median, in which NaN counts as later than
                    all others? */
    const char *margin; /* a smaller difference does not matter; "10%" is of the
                           baseline; NULL: differences are not judged */
    struct {
        const char *name, *word;
    } levels[LEVELS]; /* a figure draws the first of these that all its runs
                         have, as a line with this word */
} Quantity;

/* The row of that name; or else a row without a margin, in which neither less
   nor more is better. */
const Quantity *quantity_named(const char *name);

/* Its name in a sentence: "test accuracy", "steps". */
char *quantity_words(const char *name);

/* The title of an axis for a quantity or a setting. An accuracy is called as
   the task's measure; if t is NULL, "accuracy". */
char *axis_title(const char *name, const KnownTask *t);

/* The quantities in a list of margins, "test_accuracy=0.02,solved_at=5%" (or
   NULL). A margin is the largest difference that does not matter. Exits (2) if
   it is no such list. */
Values margins_named(const char *margins);

/* The margin of a quantity in its unit: the one given for it in `margins`, or
   else `usual`; NaN if that is NULL. A margin in per cent is relative to the
   mean absolute value of `base`, the baseline's values. */
double margin_of(const char *margins, const char *name, const char *usual,
                 const double *base, int count);

/* Exits (2) unless all runs have the quantity: in their logs if `logged`, else
   in their results. */
void check_quantity(const Experiment *e, const char *name, bool logged);

/* The mean of values of a quantity, with its interval by Student's t. The
   interval excludes impossible values: those outside 0 to 1 for a share, and
   those below 0 if no value is negative. */
Mean values_mean(const char *name, const double *x, int n);

/* The mean of a quantity over runs, at least one; or its median, if that is how
   it is averaged. A run that never reached the threshold counts as later than
   all others, and is shown as having taken all its steps. */
Mean quantity_mean(const Run *const *runs, int count, const char *name);

#endif
