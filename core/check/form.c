/* form.c - checks of a plugin's canonical form, and of its fit. */
#include <math.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/fit.h"
#include "algebra/written_equation.h"
#include "base/words.h"
#include "check/checks.h"

/* The number of positions for which a bias by position is probed. */
enum { POSITIONS = 64 };

/* The canonical form of the plugin with its present matrices. */
static Canonical
form_of(const Subject *s)
{
    return canonical_form(s->plugin.variant, s->attention, s->weights,
                          POSITIONS);
}

/* Returns whether the form of this block is to be checked: only at the first
   shape, and only if the block computes something new. Once a block had nothing
   to check (Found.untested), later ones are left out, so that the result of the
   whole check is about that block. Call this for each block, in order. */
static bool
is_form_tested(Subject *s)
{
    return s->shape == FIRST_SHAPE && new_in_layer(s) && !s->found->untested;
}

void
check_form(Subject *s)
{
    if (!is_form_tested(s))
        return;
    Canonical c = form_of(s);
    s->found->untested = !c.m;
    if (c.m)
        passed(s, "%d heads of softmax(s x M_i y'%s)%s y N_i, equal to %.0e%s",
               c.heads, c.bias ? " + b" : "",
               c.sink[0] > -INFINITY ? " with a sink" : "", c.deviation,
               c.unmasked_only ? "; only without a mask: under a causal one "
                                 "it has no form"
                               : "");
    else
        passed(s, "it has none: %s", c.why);
}

/* The form of the block at the second shape, at which check_shapes has called
   it, too. */
static Derived
derived_elsewhere(const Subject *s)
{
    Found unread;
    Subject other = *s;
    other.found = &unread;
    other = subject_at(other, FIRST_SHAPE + 1);
    other.attention.layer = s->attention.layer;
    other.attention.layers = s->attention.layers;
    return derive(s->plugin.variant, other.attention, other.weights);
}

/* The printed form of d, with the shape that s->found->at begins with if it has
   another number or matrix at d->there. */
static const char *
form_with_shape(const Subject *s, const Derived *d)
{
    const char *form = form_spelled(d), *at = s->found->at;
    if (!strcmp(form, form_spelled(d->there)))
        return form;
    return format_text("%s, at %.*s only", form, (int)strcspn(at, ";"), at);
}

/* Compares the form that is derived from the code with the form that probing
   finds, and with the equation that the plugin's author wrote. */
void
check_equation(Subject *s)
{
    if (!is_form_tested(s))
        return;
    const Variant *v = s->plugin.variant;
    if (v->calls != ANY_CALL) {
        s->found->untested = true;
        passed(s, "it is for self-attention only, and nothing is derived");
        return;
    }
    Derived d = derive(v, s->attention, s->weights);
    Derived elsewhere = derived_elsewhere(s);
    pair_forms(&d, &elsewhere);
    const char *form = form_with_shape(s, &d);
    bool has_form = !d.why;
    if (has_form && !probe_confirms(&d))
        fail("the form derived from the code, %s, is not the form that probing "
             "finds: trust neither, and report this",
             form);
    Written w = equation_compared(&d);
    if (w.agreement == DISAGREES)
        fail("the code says %s, but .equation says %s: correct the wrong one "
             "(%s)",
             form, v->equation, w.why);
    s->found->untested = w.agreement != AGREES;
    /* In a plugin NAME.eq, the equation is the code, and its steps are run. */
    const char *subject = advice(s, "the code says", "its steps compute");
    const char *result = advice(s, ", and so does .equation", "");
    if (w.agreement != AGREES)
        result = format_text("; .equation %s, and is not compared", w.why);
    passed(s, "%s %s%s", subject, form, result);
}

/* Sets all matrices of the plugin to 0, fits the plugin to the form `given`,
   and returns the form that it then has. If it has none, m of the result is
   NULL, and `why` gives the reason. */
static Canonical
fitted(Subject *s, const Canonical *given)
{
    for (int i = 0; i < s->weights.count; i++) {
        const Weight *w = &s->weights.list[i];
        memset(w->value, 0, entries_of(w) * sizeof *w->value);
    }
    const char *refusal =
        fit(s->plugin.variant, &s->attention, s->weights, given);
    if (refusal)
        return (Canonical){.why = refusal};
    return form_of(s);
}

/* A fit restores a form if no entry of M or N changes by more than this share
   of the largest entry. */
static const double fit_rounding = 1e-10;

/* A plugin that cannot compute every form may approximate its own form. Fails
   unless the fit is an approximation: neither M nor N is lost completely, and a
   second fit restores `once`, the form after the first fit. `lost` tells how
   far that form is from the original one. */
static void
check_approximation(Subject *s, const Canonical *once, const FitError *lost)
{
    Canonical twice = fitted(s, once);
    bool lost_m = lost->m.rank_wanted > 0 && lost->m.rank_found == 0;
    bool lost_n = lost->n.rank_wanted > 0 && lost->n.rank_found == 0;
    bool repeats = twice.m && fit_error(&twice, once).apart <= fit_rounding;
    if (lost_m || lost_n || !repeats)
        fail("fit does not restore the plugin's own form (s M changes by %.4g "
             "times its size, N by %.4g): do forward and fit agree on the "
             "scale, the order of heads and which factor is transposed, and is "
             "every head filled?",
             lost->m.lost, lost->n.lost);
    passed(s,
           "its fit is approximate, and a second fit gives the same form; it "
           "loses the share %.2g of its own M and %.2g of N",
           lost->m.lost, lost->n.lost);
}

/* Fits the plugin to the form that it has with random matrices. With the fitted
   matrices, it must have the same form or approximate it. */
static void
check_own_form(Subject *s)
{
    Canonical own = form_of(s);
    if (!own.m)
        fail("it has a fit, but no canonical form to fit: %s; remove .fit, "
             "which is optional",
             own.why);
    Canonical once = fitted(s, &own);
    if (!once.m)
        fail("after fit it has no canonical form: %s", once.why);
    if (!equal_biases(&once, &own))
        fail("after fit, its scores' bias by position or its sink differs from "
             "the form's: let fit set both as the form has them");
    FitError lost = fit_error(&once, &own);
    /* check_approximation replaces this text if the form is only close. */
    passed(s, "it restores the variant's own form, to %.0e", lost.apart);
    if (lost.apart > fit_rounding)
        check_approximation(s, &once, &lost);
}

void
check_fit(Subject *s)
{
    s->found->untested = !has_fit(s->plugin.variant);
    if (s->found->untested) {
        passed(s, "%s",
               advice(s,
                      "it has none, so no check can tell whether forward "
                      "computes the function you mean: a wrong one with right "
                      "gradients passes all others",
                      "it has none: only products of matrices can be fitted, "
                      "so no variant can be converted into this one"));
        return;
    }
    /* A fit makes matrices from M_i and N_i, which rope would make different at
       each distance. So the check leaves positions out of the scores. */
    s->attention.relative = NULL;
    if (new_in_layer(s))
        check_own_form(s);
}
