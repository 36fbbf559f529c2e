/* form.c - checks of a plugin's canonical form, and of its fit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/fit.h"
#include "check/checks.h"
#include "check/difference.h"

/* A bias by position is looked at up to that many. */
enum { POSITIONS = 64 };

static Canonical
form_of(const Subject *s)
{
    Attention a = s->attention;
    a.layer = 1; /* which may recall what the first remembered */
    return canonical_form(s->plugin.variant, a, &s->weights, s->values,
                          POSITIONS);
}

void
check_form(Subject *s)
{
    Canonical c = form_of(s);
    s->found->untested = !c.m;
    if (c.m)
        passed(s, "%d heads of softmax(s x M_i y'%s) y N_i, equal to %.0e",
               c.heads, c.bias ? " + b" : "", c.deviation);
    else
        passed(s, "it has none: %s", c.why);
}

/* The form of what the plugin makes of `given`. */
static Canonical
fitted(Subject *s, const Canonical *given)
{
    Canonical none = {.heads = 0};
    for (int i = 0; i < s->weights.count; i++)
        memset(s->values[i], 0, (size_t)entries(s, i) * sizeof(real));
    bool done = fit(s->plugin.variant, &s->attention, &s->weights, given,
                    s->values, none.why);
    return done ? form_of(s) : none;
}

/* Ends with what has become of M (which 0) or N (1) of a head, if it is a
   multiple of that of a head, or of its transpose. */
static void
explain_head(const Canonical *given, const Canonical *back, int which, int h)
{
    int d = given->d_model, size = d * d, step = given->size;
    const double *wanted = which ? given->n : given->m;
    const double *found = (which ? back->n : back->m) + h * step;
    double *turned = allocate((size_t)size, sizeof *turned);
    for (int i = 0; i < size; i++)
        turned[i] = found[i % d * d + i / d];
    for (int i = 0; i < 2 * given->heads; i++) {
        int k = (h + i / 2) % given->heads;
        double ratio =
            ratio_of(i % 2 ? turned : found, wanted + k * step, size);
        if (!which)
            ratio *= back->scale[h] / given->scale[k];
        if (!isnan(ratio) && (i || fabs(ratio - 1) > 1e-9))
            fail("%s of head %d comes back as %.9g times that of head %d%s: do "
                 "forward and fit agree on the scale, the order of heads and "
                 "which factor is transposed, and fill every head?",
                 which ? "N" : "s M", h + 1, ratio, k + 1,
                 i % 2 ? ", transposed" : "");
    }
}

/* The plugin's own form at random matrices must come back from fit; or if
   fit can only approximate it, what it has fitted must. */
static void
round_trip(Subject *s)
{
    Canonical own = form_of(s);
    if (!own.m)
        fail("it has no canonical form to fit: %s; without .fit, which is "
             "optional, nothing asks for one",
             own.why);
    Canonical once = fitted(s, &own);
    if (!once.m)
        fail("what it fits has no canonical form: %s", once.why);
    if (!equal_biases(&once, &own))
        fail("the bias by position of its scores, or their sink, does not come "
             "back");
    FitError lost = fit_error(&once, &own);
    passed(s, "its own form comes back from it, to %.0e", lost.apart);
    if (lost.apart <= 1e-10)
        return;
    Canonical twice = fitted(s, &once);
    passed(s,
           "what it has fitted comes back; of its own form it loses the "
           "share %.2g of M, %.2g of N",
           lost.lost[0], lost.lost[1]);
    bool nothing = (lost.rank[0] > 0 && lost.kept[0] == 0) ||
                   (lost.rank[1] > 0 && lost.kept[1] == 0);
    if (!nothing && twice.m && fit_error(&twice, &once).apart <= 1e-10)
        return;
    for (int i = 0; i < 2 * once.heads; i++)
        explain_head(&own, &once, i % 2, i / 2);
    fail("its own form comes back as a different one: they differ by %.2g of "
         "the largest entry",
         lost.apart);
}

void
check_fit(Subject *s)
{
    s->found->untested = !s->plugin.variant->fit;
    if (s->found->untested) {
        passed(s, "it has none. Nothing else here can tell whether forward is "
                  "the equation you mean: a wrong one with right gradients is "
                  "a function too");
        return;
    }
    round_trip(s);
    Subject other = subject_at(*s, ELSEWHERE);
    round_trip(&other);
}
