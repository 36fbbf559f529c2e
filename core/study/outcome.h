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
    const char *judged; /* the quantity that its verdict is about; NULL: nothing
                           that can be compared */

    const Run **runs; /* one for each seed */
    double seeds, solved;
    double lr;            /* the rate that its seeds choose together, */
    const char *rate_end; /* if the "lowest" or "highest" of several, or NULL */
    double steps;         /* to the threshold: the median, */
    bool beyond;          /* or that many were not enough */
    Mean accuracy, loss;  /* on test data */

    double margin;  /* of what is judged, NaN where it has none */
    Paired against; /* the baseline; both p after Holm */
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
    int comparisons; /* that Holm's adjustment is over */
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

/* Exits (2) unless verdicts can be about r's judge and margins. */
void check_judged(const Request *r);

#endif
