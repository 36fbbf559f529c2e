/* outcome.h - how each variant fared on each task: what a table of results
   says, and the verdict against the baseline.

   Where runs differ in their learning rate, each seed of a variant is shown at
   the rate at which its other seeds did best, in what is judged, on validation
   data: neither test data nor the seed itself has a say in it. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "math/statistics.h"
#include "run/grid.h"
#include "study/group.h"

/* Of a variant against the baseline. IDENTICAL runs do not differ in any seed.
   What is smaller than the margin is EQUAL, however sure it is WORSE or BETTER.
 */
typedef enum { IDENTICAL, EQUAL, UNDECIDED, UNTESTED, WORSE, BETTER } Verdict;

typedef struct Outcome {
    const Group *group;
    const char *task;   /* the group's name */
    const char *series; /* the variant, or what else is compared */
    bool baseline;      /* is it what the others are compared with */
    const char *judged; /* the quantity by which its rates are chosen, and that
                           its verdict is about */

    const Run **runs; /* one for each seed */
    double seeds, solved;
    double lr;            /* the rate that its seeds choose together, */
    const char *rate_end; /* if the "lowest" or "highest" of several, or NULL */
    double steps;         /* to the threshold: the median, */
    bool beyond;          /* or that many were not enough */
    Mean accuracy, loss;  /* on test data */

    double margin;    /* of what is judged, NaN where it has none */
    const Run **base; /* the baseline's runs in what is judged, one for each */
    int bases;        /* seed, */
    double base_lr, base_mean; /* their rate, and their mean in it */
    bool other_base;           /* are they other runs than its own row shows */
    Paired against;            /* those; both p adjusted */
    Verdict verdict;
    const char *word;  /* for it: "better"; "baseline" */
    double detectable; /* the least difference that these seeds show in 80% */
    double needed; /* seeds that would decide in 80%; NaN: more than 10,000 */
} Outcome;

typedef struct Outcomes {
    Outcome *list; /* group by group, each by series */
    int count;
    Group *groups;
    int group_count;
    int comparisons; /* for how many of them p is adjusted */
    bool rates;      /* was there more than one learning rate to choose from */
    const char *by, *baseline;
    const char *judge;   /* what all are judged by; NULL: each by the first
                            quantity whose turn it is, and that can tell */
    const char *margins; /* "test_accuracy=0.02,solved_at=5%", or NULL */
} Outcomes;

/* The setting whose values are compared: r's, or what was asked for when the
   runs were made, or the variant. Exits (2) where runs do not differ in it. */
const char *compared_by(const Request *r, const Experiment *e);

/* Of the runs, by r's baseline, judge and margin, or those that every compare
   asked for which made the runs (experiment_said). */
Outcomes outcomes_of(const Request *r, const Experiment *e);

/* By which quantities learning rates were chosen, and which these are, "test
   accuracy (standard 0.003 to 0.01, mqa 0.01), steps (standard 0.03)". */
char *chosen_rates(const Outcomes *all);

/* Exits (2) unless r's setting, baseline, judge and margin can be asked about
   of these runs, which need no results yet (expected). */
void check_question(const Request *r, const Experiment *e);

#endif
