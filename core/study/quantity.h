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
    const char *name;         /* as in frame.h, or of a setting */
    const char *title, *unit; /* on an axis */
    enum { OTHER, LOSS, ACCURACY } measure;
    enum { NEITHER, LESS, MORE } better;
    enum { ANY, SHARE, POWERS } scale; /* 0 to 1; may span powers of ten */
    const char *word;   /* for it in a sentence; NULL: its name, with blanks */
    bool median;        /* not a mean; a 0 is never */
    const char *margin; /* a smaller difference is none; "10%": of the baseline;
                           NULL: that cannot be said of it */
    struct {
        const char *name, *word;
    } levels[LEVELS]; /* its curves are compared with the first that runs have,
                         which is called so in a figure */
} Quantity;

extern const Quantity quantities[];
extern const int quantity_count;

/* Its row; one that says nothing of it where it has none. */
const Quantity *quantity_named(const char *name);

/* It in a sentence: "test accuracy", "steps". */
char *quantity_words(const char *name);

/* A quantity or setting in words, for an axis, as the task measures it (NULL:
   any task). */
char *axis_title(const char *name, const KnownTask *t);

/* Which difference of it is none, in its unit: what is given of it in
   "test_accuracy=0.02,solved_at=5%", or its own margin. Per cent are of the
   mean over these runs, the baseline's. */
double margin_of(const char *margins, const char *name, const Run *const *runs,
                 int count);

/* Exits (2) unless all runs have it: in their results or, if it is followed
   over steps, in their logs. */
void check_quantity(const Experiment *e, const char *name, bool logged);

/* The mean of some values of it and its interval by Student's t, which ends
   where there are no values: a share is between 0 and 1, a loss not below 0. */
Mean values_mean(const char *name, const double *x, int n);

/* The same over runs, at least one; or the median and its interval, which ends
   with all the steps there were where runs needed more. */
Mean quantity_mean(const Run *const *runs, int count, const char *name);

#endif
