/* verdict.h - the verdict of a comparison with the baseline: better, worse, the
   same within a margin, or undecided.

   Make a Comparison of each difference that a table shows, and then let
   decide_all judge all of them together, since each p-value is adjusted for the
   number of comparisons. */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>

#include "math/statistics.h"

/* IDENTICAL: no seed differs. EQUAL: the difference is smaller than the margin,
   even if it is significant. UNTESTED: there is nothing that t can test. */
typedef enum { IDENTICAL, EQUAL, UNDECIDED, UNTESTED, WORSE, BETTER } Verdict;
extern const char *const verdict_words[]; /* "identical", "same", ... */

typedef struct Comparison {
    Contrast contrast; /* decide_all adjusts its p-values */
    bool less;         /* is less better? */
    double margin;     /* NaN if there is none */
    Verdict verdict;
    double detectable; /* the least difference that these seeds would show with
                          a probability of 80% */
    double needed;     /* how many seeds would decide with that probability; NaN
                          if more than 10,000 */
} Comparison;

/* A comparison that decide_all has not judged yet. */
Comparison comparison_of(Contrast contrast, bool less, double margin);

/* Decides all verdicts. Returns the number of comparisons that have p-values,
   for which these are adjusted. */
int decide_all(Comparison *const *all, int count);

/* The p-value of the test that the verdict rests on. */
double deciding_p(const Comparison *c);

#endif
