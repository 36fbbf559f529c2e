/* verdict.h - the verdict of a comparison with the baseline: better, worse, the
   same within a margin, or undecided.

   Make a Comparison of each difference that a table shows (comparison_of), and
   then let decide_all decide all verdicts together, because each p-value is
   adjusted for the number of comparisons. */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>

#include "math/statistics.h"

/* IDENTICAL: no seed differs. EQUAL: the difference is smaller than the margin,
   even if it is significant. UNTESTED: no p-value is known, because there are
   too few numbers or none that vary. */
typedef enum { IDENTICAL, EQUAL, UNDECIDED, UNTESTED, WORSE, BETTER } Verdict;
extern const char *const verdict_words[]; /* by Verdict: "identical", ... */

typedef struct Comparison {
    Contrast contrast; /* decide_all adjusts its p-values */
    bool less_is_better;
    double margin; /* the largest difference that counts as the same; NaN if
                      there is none */
    Verdict verdict;
    double p;          /* the p-value of the test that decided the verdict */
    double detectable; /* the smallest difference that these seeds would show
                          with a probability of 80%; NaN without a t test */
    double needed;     /* the number of seeds that would decide with that
                          probability; NaN if it is more than 10,000, or if the
                          verdict is decided */
} Comparison;

/* A comparison whose verdict decide_all will decide, unless it is IDENTICAL or
   UNTESTED: these are known at once. */
Comparison comparison_of(Contrast contrast, bool less_is_better, double margin);

/* Decides all verdicts. Returns the number of comparisons that have p-values,
   to which these are adjusted. */
int decide_all(Comparison *const *all, int count);

#endif
