/* verdict.c - what a comparison with the baseline says. */
#include <math.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "study/verdict.h"

#define SIGNIFICANT 0.05

const char *const verdict_words[] = {"identical", "same",  "undecided",
                                     "untested",  "worse", "better"};

Comparison
comparison_of(Contrast contrast, bool less, double margin)
{
    bool differ = contrast.mean != 0 || contrast.deviation != 0;
    Verdict verdict = isnan(contrast.differ) ? UNTESTED
                      : differ               ? UNDECIDED
                                             : IDENTICAL;
    return (Comparison){contrast, less, margin, verdict, NAN, NAN};
}

/* Decides the verdict on a difference whose p-values are adjusted. What these
   seeds could have shown, or how many are needed, is for a t test at the level
   of the strictest of all tests. */
static void
decide(Comparison *c, int comparisons)
{
    const Contrast *d = &c->contrast;
    double alpha = SIGNIFICANT / comparisons;
    bool by_t = d->deviation > 0 && !d->by_signs;
    if (d->same < SIGNIFICANT)
        c->verdict = EQUAL;
    else if (d->differ < SIGNIFICANT)
        c->verdict = (d->mean > 0) == c->less ? WORSE : BETTER;
    if (by_t)
        c->detectable = d->error * detectable(d->freedom, alpha);
    if (by_t && c->verdict == UNDECIDED)
        c->needed = seeds_to_tell(d, c->margin, alpha);
}

/* Of a comparison's two hypotheses, that there is no difference and that there
   is one of the margin or more, one at most is true: so Holm's adjustment is
   Shaffer's. */
int
decide_all(Comparison *const *all, int count)
{
    double *p = allocate(2 * (size_t)count + 2, sizeof *p);
    int comparisons = 0;
    for (int i = 0; i < count; i++) {
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

double
deciding_p(const Comparison *c)
{
    return c->verdict == IDENTICAL ? NAN
           : c->verdict == EQUAL   ? c->contrast.same
                                   : c->contrast.differ;
}
