/* quantity.h - what is known of each number that runs have: how it is called,
   which way is better, how it is drawn and averaged. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>

#include "math/statistics.h"
#include "study/frame.h"
#include "tasks/tasks.h"

enum { LEVELS = 2 };

typedef struct Quantity {
    const char *name;         /* as in frame.h */
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
    bool median; /* averaged by the median, in which NaN is later than all */
    const char *margin; /* a smaller difference does not matter; "10%" is of the
                           baseline; NULL: differences are not judged */
    struct {
        const char *name, *word;
    } levels[LEVELS]; /* a figure shows the first of these that its runs have as
                         a line, with this word */
} Quantity;

extern const Quantity quantities[];
extern const int quantity_count;

/* The row of that name, or else a row without title, margin or direction. */
const Quantity *quantity_named(const char *name);

/* Its name in a sentence: "test accuracy", "steps". */
char *quantity_words(const char *name);

/* The title of an axis for a quantity or a setting. What an accuracy is, the
   task says; NULL is any task. */
char *axis_title(const char *name, const KnownTask *t);

/* The quantities to which a list "test_accuracy=0.02,solved_at=5%" (or NULL)
   gives margins, differences that do not matter. Exits (2) if it is no such
   list. */
Values margins_named(const char *margins);

/* The margin of a quantity in its unit: the one given for it in `margins`, or
   else `usual`; NaN if that is NULL. Per cent are of the mean size of these
   values of the baseline. */
double margin_of(const char *margins, const char *name, const char *usual,
                 const double *base, int count);

/* Exits (2) unless all runs have the quantity: in their logs if `logged`, else
   in their results. */
void check_quantity(const Experiment *e, const char *name, bool logged);

/* The mean of values of a quantity, with its interval by Student's t, cut off
   at values that cannot be: a share is between 0 and 1, and what was never
   negative has no negative end. */
Mean values_mean(const char *name, const double *x, int n);

/* The mean of a quantity over runs, at least one; or its median, if that is how
   it is averaged. A run that never reached the threshold counts as later than
   all others, and is shown as having taken all its steps. */
Mean quantity_mean(const Run *const *runs, int count, const char *name);

#endif
