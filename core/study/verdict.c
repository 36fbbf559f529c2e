/* verdict.c - decides the verdicts of comparisons with the baseline. */
#include <math.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "study/verdict.h"

#define SIGNIFICANT 0.05 /* the significance level of all tests together */

const char *const verdict_words[] = {"identical", "same",  "undecided",
                                     "untested",  "worse", "better"};

Comparison
comparison_of(Contrast contrast, bool less_is_better, double margin)
{
    Comparison c = {.contrast = contrast,
                    .less_is_better = less_is_better,
                    .margin = margin,
                    .verdict = UNDECIDED,
                    .p = contrast.differ,
                    .detectable = NAN,
                    .needed = NAN};
    bool no_seed_differs = contrast.mean == 0 && contrast.deviation == 0;
    if (isnan(c.p))
        c.verdict = UNTESTED;
    else if (no_seed_differs) {
        c.verdict = IDENTICAL;
        c.p = NAN; /* nothing is tested */
    }
    return c;
}

/* Decides the verdict of a comparison whose p-values are adjusted. If they come
   from a t test, also finds the smallest difference that these seeds could have
   shown, and how many seeds would decide the verdict. Both are for the
   strictest level that any of the tests may have (Bonferroni), because Holm's
   level for this test depends on the p-values of the others. */
static void
decide(Comparison *c, int comparisons)
{
    const Contrast *d = &c->contrast;
    double strictest_level = SIGNIFICANT / comparisons;
    bool is_t_test = d->deviation > 0 && !d->by_signs;
    bool is_worse = c->less_is_better ? d->mean > 0 : d->mean < 0;
    if (d->same < SIGNIFICANT)
        c->verdict = EQUAL;
    else if (d->differ < SIGNIFICANT)
        c->verdict = is_worse ? WORSE : BETTER;
    c->p = c->verdict == EQUAL ? d->same : d->differ;
    if (is_t_test)
        c->detectable = d->error * detectable(d->freedom, strictest_level);
    if (is_t_test && c->verdict == UNDECIDED)
        c->needed = seeds_to_tell(d, c->margin, strictest_level);
}

/* A comparison tests two hypotheses: that there is no difference, and that the
   difference is at least the margin. Only one of the two can be true, so at
   most half of all hypotheses are true, which Holm's adjustment may use
   (Shaffer 1986; statistics.h). The entries of comparisons that are not tested
   are NaN, and are not counted. */
int
decide_all(Comparison *const *all, int count)
{
    int comparisons = 0, hypotheses = 2 * count; /* two for each comparison */
    double *p = allocate((size_t)hypotheses + 1, sizeof *p);
    double *differ = p, *same = p + count; /* the p-values of the two kinds */
    for (int i = 0; i < count; i++) {
        bool is_tested = all[i]->verdict == UNDECIDED;
        differ[i] = is_tested ? all[i]->contrast.differ : NAN;
        same[i] = is_tested ? all[i]->contrast.same : NAN;
        comparisons += is_tested;
    }
    holm(p, hypotheses, comparisons);
    for (int i = 0; i < count; i++)
        if (all[i]->verdict == UNDECIDED) {
            all[i]->contrast.differ = differ[i];
            all[i]->contrast.same = same[i];
            decide(all[i], comparisons);
        }
    free(p);
    return comparisons;
}
