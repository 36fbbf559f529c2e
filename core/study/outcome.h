/* outcome.h - the result of each variant on each task: the numbers of its row
   in a table, and its verdict against the baseline.

   If several learning rates were tried, each seed of a variant is shown at one
   of them: the rate at which the variant's other seeds have the best judged
   quantity on validation data. Neither test data nor the seed itself influences
   that choice. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "math/statistics.h"
#include "run/grid.h"
#include "study/choose_rate.h"
#include "study/run_groups.h"
#include "study/verdict.h"

/* The result of one variant (or of another setting's value) on one task. */
typedef struct Outcome {
    const Group *group;
    const char *task;   /* the group's name */
    const char *series; /* the variant, or another value that is compared */
    bool is_baseline;   /* true if the other values are compared with this
                           one */
    const char *judged; /* the quantity that chooses its rates, and that its
                           verdict is about */

    Chosen own;           /* its runs, one for each seed */
    double seeds, solved; /* how many seeds there are, and how many solved the
                             task; doubles, as all numbers of a table */
    const char *rate_end; /* "lowest" or "highest" of the rates, or NULL */
    double steps;         /* the steps of the median seed to the threshold */
    bool median_unsolved; /* true if the median seed never reached the
                             threshold */
    Mean accuracy, loss;  /* on test data */

    /* The comparison with the baseline. The baseline's runs are chosen by the
       quantity that is judged here, so they may differ from the runs in the
       baseline's own row, which may be judged in another quantity. */
    Chosen base;
    double base_mean; /* the mean of the baseline's runs in the judged
                         quantity */
    double margin;    /* the largest difference in the judged quantity that does
                         not matter */
    bool other_base;  /* true if the baseline's own row shows other runs */
    Comparison comparison;
    const char *verdict; /* in words: "better", or "baseline" */
} Outcome;

typedef struct Outcomes {
    Outcome *list; /* group by group, in each by series */
    int count;
    Group *groups;
    int group_count;
    int comparisons;      /* the number for which p-values are adjusted */
    bool rates;           /* were several learning rates tried? */
    const char *by;       /* the setting whose values are compared */
    const char *baseline; /* the value with which the others are compared */
    const char *judge;    /* the quantity in which all are judged; NULL: each is
                             judged in the first of test accuracy, steps and
                             test loss that can tell it from the baseline */
    const char *margins;  /* "test_accuracy=0.02,solved_at=5%", or NULL */
} Outcomes;

/* The setting whose values are compared: the one that r names, or else the one
   that was named when the runs were made, or else "variant". Exits (2) if r
   names one in which the runs do not differ. */
const char *compared_by(const Request *r, const Experiment *e);

/* The outcomes of all variants on all tasks. Baseline, judge and margin come
   from r, or else from the commands that made the runs (recorded_value). */
Outcomes outcomes_of(const Request *r, const Experiment *e);

/* The learning rates that were chosen, by the quantity that chose them: "test
   accuracy (standard 0.003 to 0.01, mqa 0.01), steps (standard 0.03)". */
char *chosen_rates(const Outcomes *all);

/* The question that outcomes_of answers, with an empty list of outcomes: which
   setting is compared, with which baseline, by which quantity and margins.
   Exits (2) if r has one that does not fit these runs. The runs need no results
   yet, so that a wrong question is found before the training (runs_expected).
 */
Outcomes question_of(const Request *r, const Experiment *e);

#endif
