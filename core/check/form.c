/* form.c - checks of a plugin's canonical form, and of its fit. */
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/fit.h"
#include "algebra/written_equation.h"
#include "base/words.h"
#include "check/checks.h"

/* A bias by position is probed for this many positions. */
enum { POSITIONS = 64 };

static Canonical
form_of(const Subject *s)
{
    return canonical_form(s->plugin.variant, s->attention, s->weights,
                          POSITIONS);
}

/* Returns whether a block's form is to be tested: only at the first shape, only
   if the block computes something new, and only if no earlier block was found
   to have nothing to check. Call this for each block, in order. */
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
        passed(s, "%d heads of softmax(s x M_i y'%s) y N_i, equal to %.0e%s",
               c.heads, c.bias ? " + b" : "", c.deviation,
               c.unmasked_only ? "; only without a mask: under a causal one "
                                 "it has no form"
                               : "");
    else
        passed(s, "it has none: %s", c.why);
}

/* Compares the form that is derived from the code with the form that probing
   finds, and with the equation that its author wrote. */
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
    char *form = form_spelled(&d);
    bool has_form = !d.why;
    if (has_form && !(derived_apart(&d) <= APART)) /* far apart, or NaN */
        fail("the form derived from the code, %s, is not the one that probing "
             "finds: trust neither, and report this",
             form);
    Written w = equation_compared(&d);
    if (w.agreement == DISAGREES)
        fail("the code says %s%s, and .equation says %s: correct the wrong one "
             "(%s)",
             form, heads_alike(&d) ? "" : " in the last head only", v->equation,
             w.why);
    s->found->untested = w.agreement != AGREES;
    const char *compared = advice(s, ", and so does .equation", "");
    if (w.agreement != AGREES)
        compared = format_text("; .equation %s, and is not compared", w.why);
    passed(s, "%s %s%s", advice(s, "the code says", "its steps compute"), form,
           compared);
}

/* Sets all matrices of the plugin to 0, fits the plugin to a form, and returns
   the form that the plugin then has. If the plugin has no form, m of the result
   is NULL, and `why` gives the reason. */
static Canonical
fitted(Subject *s, const Canonical *given)
{
    Canonical none = {.heads = 0};
    for (int i = 0; i < s->weights.count; i++)
        memset(s->weights.list[i].value, 0,
               (size_t)entries(s, i) * sizeof(real));
    none.why = fit(s->plugin.variant, &s->attention, s->weights, given);
    return none.why ? none : form_of(s);
}

/* A fit reproduces a form if no entry of M and N changes by more than this,
   relative to the largest entry. */
static const double fit_rounding = 1e-10;

/* A plugin that cannot compute every form is allowed to approximate its own.
   Fails unless the fit is such an approximation: neither M nor N is lost
   completely, and a second fit reproduces `once`, the form of the first fit. */
static void
check_approximation(Subject *s, const Canonical *once, const FitError *lost)
{
    Canonical twice = fitted(s, once);
    bool lost_m = lost->m.rank_wanted > 0 && lost->m.rank_found == 0;
    bool lost_n = lost->n.rank_wanted > 0 && lost->n.rank_found == 0;
    bool repeats = twice.m && fit_error(&twice, once).apart <= fit_rounding;
    if (lost_m || lost_n || !repeats)
        fail("its own form comes back as a different one, s M by %.4g times "
             "its size and N by %.4g: do forward and fit agree on the scale, "
             "the order of heads and which factor is transposed, and is every "
             "head filled?",
             lost->m.lost, lost->n.lost);
    passed(s,
           "its fit is approximate, and a second fit gives the same form; it "
           "loses the share %.2g of its own M and %.2g of N",
           lost->m.lost, lost->n.lost);
}

/* Fits the plugin to its own form at random matrices. The fitted matrices must
   have the same form, or approximate it. */
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
        fail("after fit, its scores have another bias by position, or another "
             "sink, than the form that fit was given: let fit set both");
    FitError lost = fit_error(&once, &own);
    passed(s, "its own form comes back from it, to %.0e", lost.apart);
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
                      "it has none. Nothing else here can tell whether forward "
                      "is the equation you mean: a wrong one with right "
                      "gradients is a function too",
                      "it has none: only products of matrices can be fitted, "
                      "so no variant can be converted into this one"));
        return;
    }
    /* A fit ignores rope, which rotates between the maps of a pair. */
    s->attention.relative = NULL;
    if (new_in_layer(s))
        check_own_form(s);
}
