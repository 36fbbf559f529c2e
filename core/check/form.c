/* form.c - checks of a plugin's canonical form, and of its fit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/fit.h"
#include "check/checks.h"

static Canonical
form_of(const Subject *s)
{
    Attention a = s->attention;
    a.layer = 1; /* which may recall what the first remembered */
    return canonical_form(s->plugin.variant, a, &s->weights, s->values);
}

Finding
check_form(Subject *s)
{
    Canonical c = form_of(s);
    return c.m ? passed(
                     "%d heads of softmax(s x M_i y'%s) y N_i, equal to %.0e",
                     c.heads, c.bias ? " + b" : "", c.deviation)
               : untested("it has none: %s", c.why);
}

/* The form of what the plugin makes of `given`. */
static Canonical
fitted(Subject *s, const Canonical *given)
{
    Canonical none = {.heads = 0};
    for (int i = 0; i < s->weights.count; i++)
        memset(s->values[i], 0, (size_t)entries(s, i) * sizeof(real));
    bool done = fit(s->plugin.variant, &s->attention, &s->weights, given,
                    s->values, none.why, NULL);
    return done ? form_of(s) : none;
}

/* s M (which 0) or N (1) of head h, or its transpose. */
static double *
matrix_of_head(const Canonical *c, int which, int h, bool turned)
{
    int d = c->d_model, size = d * d;
    double *copy = allocate((size_t)size, sizeof *copy);
    for (int i = 0; i < size; i++) {
        int from = h * size + (turned ? i % d * d + i / d : i);
        copy[i] = which ? c->n[from] : c->scale[h] * c->m[from];
    }
    return copy;
}

/* The mistake that would bring head h back as head k; UNTESTED if there is
 * none. */
static Finding
explain_head(const Canonical *given, const Canonical *back, int which, int h,
             int k)
{
    int size = given->d_model * given->d_model;
    double *wanted = matrix_of_head(given, which, h, false);
    double *turned = matrix_of_head(given, which, h, true);
    double *found = matrix_of_head(back, which, k, false);
    double ratio = ratio_of(found, wanted, size);
    if (k != h && !isnan(ratio))
        return failed("%c of head %d comes back as head %d's: the order of "
                      "heads differs between forward and fit",
                      "MN"[which], h + 1, k + 1);
    if (k == h && fabs(ratio - 1) > 1e-9)
        return failed("%s_%d comes back %.*g times as large: is the scale the "
                      "same in forward and fit?",
                      which ? "N" : "s M", h + 1,
                      fabs(ratio - 1) < 1e-3 ? 9 : 4, ratio);
    if (isnan(ratio) && !isnan(ratio_of(found, turned, size)))
        return failed("%c_%d comes back transposed: are its two factors "
                      "swapped, in forward or in fit?",
                      "MN"[which], h + 1);
    return (Finding){.verdict = UNTESTED};
}

/* The mistake that would bring `given` back as `back`. */
static Finding
explain_trip(const Canonical *given, const Canonical *back, double apart)
{
    for (int which = 0; which < 2; which++)
        for (int h = 0; h < given->heads; h++)
            for (int k = 0; k < back->heads; k++) {
                Finding f = explain_head(given, back, which, h, k);
                if (f.verdict == FAILED)
                    return f;
            }
    return failed("its own form comes back as a different one: they differ by "
                  "%.2g of the largest entry",
                  apart);
}

/* The plugin's own form at random matrices must come back from fit; or if
   fit can only approximate it, what it has fitted must. */
static Finding
round_trip(Subject *s)
{
    Canonical own = form_of(s);
    if (!own.m)
        return failed("it has no canonical form to fit: %s; without .fit, "
                      "which is optional, nothing asks for one",
                      own.why);
    Canonical once = fitted(s, &own);
    if (!once.m)
        return failed("what it fits has no canonical form: %s", once.why);
    if (!equal_biases(&once, &own))
        return failed("the bias by position of its scores, or their sink, does "
                      "not come back");
    FitError lost = fit_error(&once, &own);
    if (lost.apart <= 1e-10)
        return passed("its own form comes back from it, to %.0e", lost.apart);
    Canonical twice = fitted(s, &once);
    for (int which = 0; which < 2; which++)
        if (lost.rank[which] > 0 && lost.kept[which] == 0)
            return failed("of one head nothing of %c comes back: does fit fill "
                          "the matrices of every head?",
                          "MN"[which]);
    if (twice.m && fit_error(&twice, &once).apart <= 1e-10)
        return passed("what it has fitted comes back; of its own form it loses "
                      "the share %.2g of M, %.2g of N",
                      lost.lost[0], lost.lost[1]);
    return explain_trip(&own, &once, lost.apart);
}

Finding
check_fit(Subject *s)
{
    if (!s->plugin.variant->fit)
        return untested(
            "it has none. Nothing else here can tell whether forward is the "
            "equation you mean: a wrong one with right gradients is a function "
            "too");
    Finding here = round_trip(s);
    if (here.verdict == FAILED)
        return here;
    Subject other = subject_elsewhere(s);
    Finding there = round_trip(&other);
    return there.verdict == FAILED ? there : here;
}
