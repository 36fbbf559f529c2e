/* verdict.c - decides the verdicts of comparisons with the baseline. */
#include <math.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "study/verdict.h"

#define SIGNIFICANT 0.05 /* the level of all tests together */

const char *const verdict_words[] = {"identical", "same",  "undecided",
                                     "untested",  "worse", "better"};

Comparison
comparison_of(Contrast contrast, bool less, double margin)
{
    Verdict verdict = UNDECIDED;
    double p = contrast.differ;
    if (isnan(p))
        verdict = UNTESTED;
    else if (contrast.mean == 0 && contrast.deviation == 0) {
        verdict = IDENTICAL;
        p = NAN; /* nothing is tested */
    }
    return (Comparison){contrast, less, margin, verdict, p, NAN, NAN};
}

/* Decides the verdict on a difference whose p-values are adjusted. Also finds
   the difference that these seeds could have shown, and the number of seeds
   that would decide. Both are for a t test at the level of the strictest of all
   tests (Bonferroni): Holm's level of this one is not known beforehand. */
static void
decide(Comparison *c, int comparisons)
{
    const Contrast *d = &c->contrast;
    double alpha = SIGNIFICANT / comparisons;
    bool by_t = d->deviation > 0 && !d->by_signs;
    bool is_worse = c->less ? d->mean > 0 : d->mean < 0;
    if (d->same < SIGNIFICANT)
        c->verdict = EQUAL;
    else if (d->differ < SIGNIFICANT)
        c->verdict = is_worse ? WORSE : BETTER;
    c->p = c->verdict == EQUAL ? d->same : d->differ;
    if (by_t)
        c->detectable = d->error * detectable(d->freedom, alpha);
    if (by_t && c->verdict == UNDECIDED)
        c->needed = seeds_to_tell(d, c->margin, alpha);
}

/* A comparison tests two hypotheses: that there is no difference, and that the
   difference is at least the margin. Only one of them can be true, so of all
   2 x comparisons hypotheses at most half are true. Holm's adjustment may use
   that (Shaffer 1986; statistics.h). NaN entries do not count. */
int
decide_all(Comparison *const *all, int count)
{
    double *p = allocate(2 * (size_t)count + 2, sizeof *p);
    int comparisons = 0;
    for (int i = 0; i < count; i++) { /* two hypotheses each */
        bool counts = all[i]->verdict == UNDECIDED;
        p[2 * i] = counts ? all[i]->contrast.differ : NAN;
        p[2 * i + 1] = counts ? all[i]->contrast.same : NAN;
        comparisons += counts;
    }
    holm(p, 2 * count, comparisons);
    for (int i = 0; i < count; i++)
        if (all[i]->verdict == UNDECIDED) {
            all[i]->contrast.differ = p[2 * i];
            all[i]->contrast.same = p[2 * i + 1];
            decide(all[i], comparisons);
        }
    free(p);
    return comparisons;
}
