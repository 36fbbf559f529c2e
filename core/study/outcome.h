/* outcome.h - the outcome of each variant on each task: the numbers in its row
   of a table, and its verdict against the baseline.

   If several learning rates were tried, each seed of a variant is shown at one
   of them: the rate at which the variant's other seeds did best, in the judged
   quantity and on validation data. Neither test data nor, if there are several
   seeds, the seed itself influences that choice. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "math/statistics.h"
#include "run/grid.h"
#include "study/choose_rate.h"
#include "study/run_groups.h"
#include "study/verdict.h"

/* The outcome of one variant, or of a value of another setting, on one task. */
typedef struct Outcome {
    const Group *group;
    const char *task;   /* the group's name */
    const char *series; /* the variant, or the compared setting's value */
    bool is_baseline;   /* true if the other series are compared with this
                           one */
    const char *judged; /* the quantity by which its rates are chosen, and that
                           its verdict is about */

    Chosen own;           /* its runs, one for each seed */
    double seeds, solved; /* how many seeds there are, and how many solved the
                             task; doubles, as the table's cells need */
    const char *rate_end; /* "lowest", "highest" or NULL (choose_rate.h) */
    double steps;         /* the steps of the median seed to the threshold */
    bool median_unsolved; /* true if the median seed never reached the
                             threshold */
    Mean accuracy, loss;  /* means over seeds, on test data; low and high are
                             NaN if there is only one seed */

    /* The comparison with the baseline. The baseline's runs are chosen by the
       quantity that is judged here. The baseline's own row may be judged in
       another quantity, and so show other runs. */
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
    Outcome *list; /* group by group, and series by series in each */
    int count;
    Group *groups;
    int group_count;
    int comparisons;      /* p-values are adjusted for this number of tests */
    bool several_rates;   /* true if several learning rates were tried */
    const char *by;       /* the setting whose values are compared */
    const char *baseline; /* the value with which the others are compared */
    const char *judge;    /* the quantity in which all are judged. If it is
                             NULL, each is judged in the first of test accuracy,
                             steps and test loss that can tell it from the
                             baseline */
    const char *margins;  /* "test_accuracy=0.02,solved_at=5%", or NULL */
} Outcomes;

/* The setting whose values are compared: the setting that r names, or that the
   commands that made the runs named, or "variant". Exits (2) if r names a
   setting in which the runs do not differ. */
const char *compared_by(const Request *r, const Experiment *e);

/* The outcomes of all variants on all tasks. Baseline, judge and margin come
   from r or, if it has none, from the commands that made the runs
   (recorded_value). */
Outcomes outcomes_of(const Request *r, const Experiment *e);

/* The learning rates that were chosen, listed by the quantity that chose them:
   "test accuracy (standard 0.003 to 0.01, mqa 0.01), steps (standard 0.03)". */
char *chosen_rates(const Outcomes *all);

/* The question that outcomes_of answers, as Outcomes with an empty list: which
   setting is compared, with which baseline, in which quantity and with which
   margins. Exits (2) if one of these does not fit the runs. The runs need no
   results yet (runs_expected), so a wrong question is found before training. */
Outcomes question_of(const Request *r, const Experiment *e);

#endif
