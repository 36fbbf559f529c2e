/* outcome.h - how each variant fared on each task: what a table of results
   says, and the verdict against the baseline.

   Where runs differ in their learning rate, a variant is shown at its best one:
   that with the highest mean accuracy on validation data, of equal ones the
   lowest loss. Test data has no say in it. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "math/statistics.h"
#include "driver/cli/options.h"
#include "driver/results/group.h"

typedef struct Outcome {
    const Group *group;
    const char *series; /* the variant */
    double lr;          /* the rate that all of this is at, */
    int rates;          /* the best of so many */
    const Run **runs;   /* its runs at that rate */
    int seeds, solved, diverged;
    double steps; /* to the threshold: the median, */
    bool beyond;  /* or that many were not enough */
    double parameters, attention;
    Mean accuracy, loss; /* on test data */
    Paired against;      /* the baseline, in what is judged; p after Holm */
} Outcome;

typedef struct Outcomes {
    Outcome *list; /* group by group, each by series */
    int count;
    Group *groups;
    int group_count;
    int comparisons; /* that Holm's adjustment is over */
    int rates;       /* the most that a variant had to choose from */
    const char *baseline, *judged;
} Outcomes;

/* Of the runs, against o.s baseline, or that which was asked for when they
   were made, in what o judges by; exits (2) where nothing of that name
   is in their results. outcomes_free it. */
Outcomes outcomes_of(const Options *o, const Experiment *e);
void outcomes_free(Outcomes *all);

/* Is it held against the baseline? */
bool outcome_compared(const Outcome *a);

/* "better by 0.012", "worse by 0.31", "no difference detected at 5 seeds". */
enum { VERDICT_SIZE = 80 };
void verdict_text(const Outcomes *all, const Outcome *a,
                  char text[VERDICT_SIZE]);

/* 1: better, -1: worse, 0: no difference detected (at 5% over the table). */
int verdict(const Outcomes *all, const Outcome *a);

/* The median of the steps to the threshold, where a seed that never reached it
   (0) counts as later than all that did: *beyond where such a seed is the
   median, or one of the two that this lies between. Sorts x. */
double median_steps(double *x, int n, int steps, bool *beyond);

#endif
