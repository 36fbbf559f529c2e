/* checks_double.c - those checks whose answer is a small difference: gradients
   against slopes, and the round trip through a canonical form. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tape/difference.h"
#include "variant/adopt.h"
#include "variant/canonical.h"
#include "driver/check/subject.h"

typedef struct Graph {
    Subject *subject;
    bool crossed, twice;
} Graph;

/* forward, or twice forward from the same operands, added. */
static Node *
build(Node **in, void *more)
{
    Graph *g = more;
    const Variant *v = g->subject->plugin.variant;
    Attention *a = &g->subject->attention;
    Node **w = in, *x = in[g->subject->weights.count];
    Node *y = in[g->subject->weights.count + g->crossed];
    Node *out = plugin_forward(v, a, x, y, w);
    return g->twice ? add(out, plugin_forward(v, a, x, y, w)) : out;
}

/* Is found = factor wanted, all of it? */
static bool
proportional(const double *found, const double *wanted, int count,
             double factor)
{
    double off = 0, all = 0;
    for (int i = 0; i < count; i++) {
        off = fmax(off, fabs(found[i] - factor * wanted[i]));
        all = fmax(all, fabs(factor * wanted[i]));
    }
    return off <= 1e-5 * all;
}

/* The factor that brings wanted nearest to found. */
static double
factor_between(const double *found, const double *wanted, int count)
{
    double both = 0, all = 0;
    for (int i = 0; i < count; i++) {
        both += found[i] * wanted[i];
        all += wanted[i] * wanted[i];
    }
    return all > 0 ? both / all : 0;
}

/* What mistake would look like this. */
static const char *
likely(const Slopes *s, const Leaf *l, bool twice, bool matrix)
{
    static char text[160];
    int count = l->rows * l->cols;
    double factor = factor_between(s->found, s->wanted, count), all = 0;
    for (int i = 0; i < count; i++)
        all += fabs(s->found[i]);
    if (isnan(all))
        return isnan(s->wanted[s->row * l->cols + s->col])
                   ? "the function itself is no number there"
                   : "a backward divides by 0, or takes a root of what is "
                     "below it";
    if (all == 0)
        return "no gradient arrives there: does backward add to every operand?";
    if (twice)
        return "right where an operand is used once, wrong where twice: = in a "
               "backward where += belongs";
    if (proportional(s->found, s->wanted, count, -1))
        return "its sign is wrong";
    if (fabs(factor - 1) > 1e-3 &&
        proportional(s->found, s->wanted, count, factor)) {
        snprintf(text, sizeof text,
                 "all of it is %.4g times what it should be: a factor is "
                 "missing in a backward",
                 factor);
        return text;
    }
    return matrix
               ? "look at which index its backward sums over: a transpose may "
                 "be missing"
               : "the matrices are right: a backward sums over the wrong "
                 "index (a transpose is missing), or overwrites what others "
                 "have added (= for +=)";
}

/* One way to call it. *unused becomes the index of a matrix that the result
   does not depend on. The matrices are compared first: they say more. */
static Finding
slopes_of_way(Subject *s, const Way *w, bool twice, int *unused)
{
    Graph g = {s, w->asked != 0, twice};
    int d = s->attention.d_model, count = s->weights.count;
    Leaf *leaves = allocate((size_t)(count + 2), sizeof *leaves);
    double size = w->size > 1 ? 2 : 1;
    for (int i = 0; i < count; i++) {
        Declared *p = &s->weights.list[i];
        leaves[i] = (Leaf){p->rows, p->cols, 1, 1 / sqrt(p->rows)};
    }
    leaves[count] = (Leaf){w->sequences * w->asking, d, w->sequences, size};
    leaves[count + 1] = (Leaf){w->sequences * w->asked, d, w->sequences, size};
    s->attention.causal = w->causal;
    Slopes slopes = slopes_of(build, &g, leaves, count + 1 + g.crossed);
    for (int i = 0; i < count; i++)
        if (!slopes.reached[i])
            *unused = i;
    Finding f = {.verdict = PASSED};
    if (slopes.leaf >= 0) {
        int i = slopes.leaf, at = slopes.row * leaves[i].cols + slopes.col;
        f = finding(FAILED,
                    "%s: %s (%d x %d), row %d, column %d: %.6g, where the "
                    "function's slope is %.6g; %s",
                    w->what,
                    i < count    ? s->weights.list[i].name
                    : i == count ? "x"
                                 : "y",
                    leaves[i].rows, leaves[i].cols, slopes.row + 1,
                    slopes.col + 1, slopes.found[at], slopes.wanted[at],
                    likely(&slopes, &leaves[i], twice, i < count));
    }
    slopes_free(&slopes);
    free(leaves);
    return f;
}

Finding
check_gradients(const char *word)
{
    Subject s = subject_open(word);
    int unused = -1;
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < WAYS; i++) {
            if (ways[i].asking > 8 || (twice && i > 1))
                continue;
            Finding f = slopes_of_way(&s, &ways[i], twice, &unused);
            if (f.verdict == FAILED)
                return f;
        }
    return finding(PASSED, "of x, y and every matrix, entry by entry and sign "
                           "by sign, to 1e-6");
}

Finding
check_use(const char *word)
{
    Subject s = subject_open(word);
    int unused = -1;
    slopes_of_way(&s, &ways[0], false, &unused);
    if (unused >= 0)
        return finding(FAILED,
                       "%s is declared, counted and saved, but no gradient "
                       "arrives at it: is it used, by no factor 0 (1 / a->d_k "
                       "divides whole numbers), and does each backward add to "
                       "all its operands?",
                       s.weights.list[unused].name);
    return finding(PASSED, "the output depends on every matrix declared");
}

Finding
check_form(const char *word)
{
    Subject s = subject_open(word);
    Canonical c =
        canonical_form(s.plugin.variant, s.attention, &s.weights, s.values);
    return c.m ? finding(PASSED,
                         "found: %d heads of softmax(s x M_i y') y N_i, "
                         "equal to %.0e",
                         c.heads, c.deviation)
               : finding(UNTESTED, "it has none: %s", c.why);
}

/* The form of what the plugin makes of `given`. */
static Canonical
adopted(Subject *s, const Canonical *given)
{
    Canonical none = {.heads = 0};
    for (int i = 0; i < s->weights.count; i++) {
        Declared *d = &s->weights.list[i];
        memset(s->values[i], 0, (size_t)(d->rows * d->cols) * sizeof(real));
    }
    if (!adopt(s->plugin.variant, &s->attention, &s->weights, given,
               s->values)) {
        snprintf(none.why, sizeof none.why, "%d heads do not fit into %d",
                 given->heads, s->attention.heads);
        return none;
    }
    return canonical_form(s->plugin.variant, s->attention, &s->weights,
                          s->values);
}

/* Entry `i` of sM (which 0) or N (1) of head h, as one array a head. */
static double *
head_of(const Canonical *c, int which, int h)
{
    int size = c->d_model * c->d_model;
    double *copy = allocate((size_t)size, sizeof *copy);
    for (int i = 0; i < size; i++)
        copy[i] = which ? c->n[h * size + i] : c->scale[h] * c->m[h * size + i];
    return copy;
}

/* What mistake would bring `given` back as `back`. */
static Finding
explain_trip(const Canonical *given, const Canonical *back, double apart)
{
    int d = given->d_model, size = d * d;
    for (int which = 0; which < 2; which++)
        for (int h = 0; h < given->heads; h++) {
            double *wanted = head_of(given, which, h);
            double *turned = allocate((size_t)size, sizeof *turned);
            for (int i = 0; i < size; i++)
                turned[i] = wanted[i % d * d + i / d];
            for (int k = 0; k < back->heads; k++) {
                double *found = head_of(back, which, k);
                double factor = factor_between(found, wanted, size);
                double other = factor_between(found, turned, size);
                bool same = proportional(found, wanted, size, factor);
                if (same && k != h && factor != 0)
                    return finding(FAILED,
                                   "%c of head %d comes back as head %d's: the "
                                   "order of heads differs between forward "
                                   "and adopt",
                                   "MN"[which], h + 1, k + 1);
                if (same && k == h && fabs(factor - 1) > 1e-9 && factor != 0)
                    return finding(FAILED,
                                   "%s_%d comes back %.4g times as large: is "
                                   "the scale the same in forward and adopt?",
                                   which ? "N" : "s M", h + 1, factor);
                if (!same && proportional(found, turned, size, other) &&
                    other != 0)
                    return finding(FAILED,
                                   "%c_%d comes back transposed: are its two "
                                   "factors swapped, in forward or in adopt?",
                                   "MN"[which], h + 1);
                free(found);
            }
            free(wanted);
            free(turned);
        }
    return finding(FAILED,
                   "a form that it has itself comes back as another one, %.2g "
                   "of the largest entry apart",
                   apart);
}

/* A form that the plugin has itself, at random matrices, must come back from
   adopt; or where adopt gives up something, one that it has adopted. */
Finding
check_adopt(const char *word)
{
    Subject s = subject_open(word);
    if (!s.plugin.variant->adopt)
        return finding(UNTESTED,
                       "it has none. That forward is the equation you "
                       "mean nothing else here can tell: a wrong one "
                       "with right gradients is a function too");
    Canonical own =
        canonical_form(s.plugin.variant, s.attention, &s.weights, s.values);
    if (!own.m)
        return finding(FAILED,
                       "it has no canonical form to adopt: %s; without .adopt, "
                       "which is optional, nothing asks for one",
                       own.why);
    Canonical once = adopted(&s, &own);
    if (!once.m)
        return finding(FAILED, "what it adopts has no canonical form: %s",
                       once.why);
    double apart = form_misfit(&once, &own).apart;
    if (apart <= 1e-10)
        return finding(PASSED,
                       "a form that it has comes back from it, %.0e "
                       "apart",
                       apart);
    Canonical twice = adopted(&s, &once);
    Misfit lost = form_misfit(&once, &own);
    for (int which = 0; which < 2; which++)
        if (lost.rank[which] > 0 && lost.kept[which] == 0)
            return finding(FAILED,
                           "of one head nothing of %c comes back: does adopt "
                           "fill the matrices of every head?",
                           "MN"[which]);
    if (twice.m && form_misfit(&twice, &once).apart <= 1e-10)
        return finding(PASSED,
                       "what it has adopted it adopts again; of its own form "
                       "it gives up the share %.2g of M, %.2g of N",
                       lost.lost[0], lost.lost[1]);
    return explain_trip(&own, &once, apart);
}
