/* outcome.h - how each variant fared on each task: what a table of results
   says, and the verdict against the baseline.

   Where runs differ in their learning rate, each seed of a variant is shown at
   the rate at which its other seeds did best, in what is judged, on validation
   data: neither test data nor the seed itself has a say in it. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "math/statistics.h"
#include "run/request.h"
#include "study/group.h"

/* Of a variant against the baseline: EQUAL goes before the others, since what
   is smaller than the margin is no difference, however sure. */
typedef enum Verdict { UNTESTED, UNDECIDED, EQUAL, WORSE, BETTER } Verdict;

typedef struct Outcome {
    const Group *group;
    const char *task;   /* the group's name */
    const char *series; /* the variant, or what else is compared */
    bool baseline;      /* is it what the others are compared with */
    const char *judged; /* the quantity that its verdict and its rates are
                           about; NULL: nothing that can be compared */
    bool saturated;     /* since accuracy cannot tell the two apart */

    const Run **runs; /* one for each seed */
    double seeds, solved, lost, diverged;
    double lr;    /* the rate of most of its runs, of so many that were */
    int rates;    /* tried; */
    int agreed;   /* how many they are */
    int end;      /* -1: the lowest rate, 1: the highest one that was tried */
    double steps; /* to the threshold: the median, */
    bool beyond;  /* or that many were not enough */
    double parameters, attention;
    double real; /* of attention's; NaN: not counted, or not to be told */
    Mean accuracy, loss; /* on test data */

    double margin;  /* of what is judged, NaN where it has none */
    Paired against; /* the baseline; both p after Holm */
    Verdict verdict;
    double detectable; /* the least difference that these seeds show in 80% */
    double needed; /* seeds that would decide in 80%; NaN: more than 10,000 */
} Outcome;

typedef struct Outcomes {
    Outcome *list; /* group by group, each by series */
    int count;
    Group *groups;
    int group_count;
    int comparisons; /* that Holm's adjustment is over */
    int rates;       /* the most that a variant had to choose from */
    bool found;      /* by --lr auto */
    const char *by, *baseline;
    const char *judge;   /* what all are judged by; NULL: each by the first
                            quantity whose turn it is, and that can tell */
    const char *margins; /* "test_accuracy=0.02,solved_at=5%", or NULL */
} Outcomes;

/* The setting whose values are compared: r's, or what was asked for when the
   runs were made, or the variant. Exits (2) where there is none such. */
const char *compared_by(const Request *r, const Experiment *e);

/* Of the runs, by r's baseline, judge and margin, or those that all commands
   asked for when the runs were made; exits (2) where nothing that is judged is
   in their results. outcomes_free it. */
Outcomes outcomes_of(const Request *r, const Experiment *e);
void outcomes_free(Outcomes *all);

/* Exits (2) unless verdicts of that option can be about it. */
void check_judged(const char *option, const char *name);

/* Exits (2) unless the text is margins: "test_accuracy=0.02,solved_at=5%". */
void check_margins(const char *text);

/* "better", "worse", "the same", "undecided", "untested"; of a quantity of
   which neither much nor little is good, "more" or "less". */
const char *verdict_name(const char *judged, Verdict verdict);

/* "better by 0.012", "the same within 0.01", "undecided at 5 seeds". */
enum { VERDICT_SIZE = 80 };
void verdict_text(const Outcome *a, char text[VERDICT_SIZE]);

/* Is there no difference at all, at two seeds or more? */
bool identical(const Paired *p);

#endif
