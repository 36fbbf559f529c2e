/* verdict.h - the verdict of a comparison with the baseline: better, worse, the
   same within a margin, or undecided.

   Make a Comparison of each difference that a table shows (comparison_of), and
   then let decide_all decide all verdicts together, because each p-value is
   adjusted for the number of comparisons. */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>

#include "math/statistics.h"

/* IDENTICAL means that no seed differs. EQUAL means that the difference is
   smaller than the margin, even if it is significant. UNTESTED means that there
   is no p-value, because there are too few numbers, one is missing, or none of
   them vary. */
typedef enum { IDENTICAL, EQUAL, UNDECIDED, UNTESTED, WORSE, BETTER } Verdict;
extern const char *const verdict_words[]; /* indexed by Verdict: "identical" */

typedef struct Comparison {
    Contrast contrast; /* decide_all adjusts its p-values */
    bool less_is_better;
    double margin; /* the largest difference that counts as the same; NaN if
                      there is none */
    Verdict verdict;
    double p;          /* the p-value of the test that decided the verdict */
    double detectable; /* the smallest difference that these seeds would show
                          with a probability of 80%; NaN without a t test */
    double needed;     /* the number of seeds that would decide the verdict with
                          a probability of 80%; NaN if it is more than 10,000,
                          if the verdict is decided, or without a t test */
} Comparison;

/* Makes a comparison. If its verdict is IDENTICAL or UNTESTED, this is known at
   once; otherwise it is UNDECIDED until decide_all is called. */
Comparison comparison_of(Contrast contrast, bool less_is_better, double margin);

/* Decides all verdicts. All comparisons except those that are IDENTICAL or
   UNTESTED are tested; their p-values are adjusted for the number of these
   tests, which is returned. */
int decide_all(Comparison *const *all, int count);

#endif
