/* checks.c - what a plugin must hold: one function for each line of `check`.
   Here those that any precision can tell. */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "task/config.h"
#include "driver/check/subject.h"

static bool
all_finite(const real *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* A shape option that the plugin uses, and does not name: its matrices or its
   output change with it. NULL where there is none. */
static const char *
unnamed_option(Subject *s)
{
    Attention *a = &s->attention;
    const struct {
        const char *name;
        int *value;
    } options[] = {{"heads", &a->heads},
                   {"d-k", &a->d_k},
                   {"d-v", &a->d_v},
                   {"kv-heads", &a->kv_heads},
                   {"latent", &a->latent}};
    Tokens in = tokens_drawn(s, 1, 3, 0, 1);
    size_t size = 3 * (size_t)a->d_model * sizeof(real);
    real *before = computed(s, &in, false), *again = computed(s, &in, false);
    bool steady = !memcmp(before, again, size); /* check_repeats tells */
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (shape_uses(s->plugin.variant->shape, options[i].name))
            continue;
        *options[i].value *= 2;
        Weights w = weights_declared(s->plugin.variant, a);
        bool same = w.count == s->weights.count;
        for (int k = 0; same && k < w.count; k++)
            same = w.list[k].rows == s->weights.list[k].rows &&
                   w.list[k].cols == s->weights.list[k].cols;
        real *after = same ? computed(s, &in, false) : NULL;
        if (!same || (steady && memcmp(before, after, size)))
            return options[i].name;
        free(after);
        weights_free(&w);
        *options[i].value /= 2;
    }
    free(before);
    free(again);
    free(in.x);
    return NULL;
}

static Finding
check_shapes(const char *word)
{
    Subject s = subject_open(word);
    size_t count = 0;
    for (int i = 0; i < WAYS + (s.weights.count > 0); i++) {
        const Way *w = &ways[i % WAYS];
        Tokens in = tokens_drawn(&s, w->sequences, w->asking, w->asked, 1);
        in.untrained = i == WAYS;
        s.attention.causal = w->causal;
        free(computed(&s, &in, true));
        free(in.x);
    }
    const char *unnamed = unnamed_option(&s);
    if (unnamed)
        return finding(FAILED,
                       "it uses %s, which .shape does not name: nobody can set "
                       "it then (widths are d_model, heads 1)",
                       unnamed);
    for (int i = 0; i < s.weights.count; i++)
        count += (size_t)(s.weights.list[i].rows * s.weights.list[i].cols);
    return finding(PASSED,
                   "%d matrices of %zu numbers; self-, cross- and causal "
                   "attention, one token, many",
                   s.weights.count, count);
}

static Finding
check_finite(const char *word)
{
    Subject s = subject_open(word);
    for (int i = 0; i < WAYS; i++) {
        const Way *w = &ways[i];
        Tokens in =
            tokens_drawn(&s, w->sequences, w->asking, w->asked, w->size);
        s.attention.causal = w->causal;
        real *out = computed(&s, &in, true);
        if (!all_finite(out, w->sequences * w->asking * s.attention.d_model))
            return finding(FAILED, "%s: the output is not finite", w->what);
        if (!all_finite(in.x_gradient,
                        w->sequences * w->asking * s.attention.d_model))
            return finding(FAILED, "%s: the gradient of x is not finite",
                           w->what);
        for (int k = 0; k < s.weights.count; k++)
            if (!all_finite(s.gradients[k],
                            s.weights.list[k].rows * s.weights.list[k].cols))
                return finding(FAILED,
                               "%s: the gradient of %s is not finite, its "
                               "output is",
                               w->what, s.weights.list[k].name);
        free(out);
        free(in.x);
    }
    return finding(PASSED,
                   "output and gradients, tokens 30 times as large too");
}

/* What of x and the matrices a call has changed: its name; NULL if nothing. */
static const char *
written(Subject *s, Tokens *in)
{
    size_t size = (size_t)(in->sequences * in->asking * s->attention.d_model) *
                  sizeof(real);
    real *x = allocate(1, size), **w = s->values;
    real **kept = allocate((size_t)s->weights.count, sizeof *kept);
    const char *name = NULL;
    memcpy(x, in->x, size);
    for (int i = 0; i < s->weights.count; i++) {
        const Declared *d = &s->weights.list[i];
        size_t count = (size_t)(d->rows * d->cols);
        kept[i] = allocate(count, sizeof(real));
        memcpy(kept[i], w[i], count * sizeof(real));
    }
    free(computed(s, in, true));
    for (int i = 0; i < s->weights.count; i++) {
        const Declared *d = &s->weights.list[i];
        if (memcmp(kept[i], w[i], (size_t)(d->rows * d->cols) * sizeof(real)))
            name = d->name;
        free(kept[i]);
    }
    if (memcmp(x, in->x, size))
        name = "x";
    free(kept);
    free(x);
    return name;
}

/* Two calls on the same numbers, with another shape in between; then the same
   of cross-attention. */
static Finding
check_repeats(const char *word)
{
    Subject s = subject_open(word);
    for (int asked = 0; asked < 8; asked += 7) {
        Tokens in = tokens_drawn(&s, 2, 5, asked, 1);
        Tokens other = tokens_drawn(&s, 1, 3, 4, 1);
        size_t size = 10 * (size_t)s.attention.d_model * sizeof(real);
        const char *name = written(&s, &in);
        if (name)
            return finding(FAILED,
                           "forward or a backward writes into %s: an operator "
                           "writes its own value, and adds to gradients",
                           name);
        if (fegetround() != FE_TONEAREST || *localeconv()->decimal_point != '.')
            return finding(FAILED,
                           "forward changes how numbers are rounded or written "
                           "(fesetround, setlocale), and not for itself alone");
        real *first = computed(&s, &in, true);
        free(computed(&s, &other, true));
        real *second = computed(&s, &in, true);
        if (memcmp(first, second, size))
            return finding(FAILED,
                           "the same call twice gives other numbers: does the "
                           "plugin keep something between calls?");
    }
    return finding(PASSED, "the same call twice gives the same bits");
}

/* By how much they differ: two that are no numbers do not, which check_finite
   tells of. */
static double
apart(real a, real b)
{
    return isnan(a) && isnan(b) ? 0 : fabs((double)a - (double)b);
}

/* Moves a late token and looks for what moves before it. */
static Finding
check_causality(const char *word)
{
    enum { TOKENS = 6 };
    Subject s = subject_open(word);
    int d = s.attention.d_model;
    s.attention.causal = 1;
    for (int late = 1; late < TOKENS; late++) {
        Tokens in = tokens_drawn(&s, 1, TOKENS, 0, 1);
        real *before = computed(&s, &in, false);
        for (int j = 0; j < d; j++)
            in.x[late * d + j] += 1;
        real *after = computed(&s, &in, false);
        for (int i = 0; i < late * d; i++)
            if (apart(before[i], after[i]) != 0)
                return finding(FAILED,
                               "token %d moves the output of token %d, which "
                               "comes before it: something sees past the mask "
                               "of `a` (attend, softmax and mask_zero keep it)",
                               late + 1, i / d + 1);
        free(before);
        free(after);
        free(in.x);
    }
    return finding(PASSED, "a later token moves no earlier output");
}

/* Sequences at once against each alone; the first that comes out otherwise, or
   0. */
static int
mixed(Subject *s, int asked, int causal)
{
    enum { TOKENS = 5, MANY = 3 };
    int d = s->attention.d_model, size = TOKENS * d;
    Tokens all = tokens_drawn(s, MANY, TOKENS, asked, 1), one = all;
    s->attention.causal = causal;
    real *together = computed(s, &all, false);
    double near = sizeof(real) == 4 ? 1e-5 : 1e-13, largest = 1;
    one.sequences = 1;
    for (int i = 0; i < MANY * size; i++) {
        /* with fmax here gcc 12 for ARM ends by an error of its own */
        double x = fabs((double)together[i]);
        largest = x > largest ? x : largest;
    }
    for (int k = 0; k < MANY; k++) {
        one.x = all.x + k * size;
        one.y = asked ? all.y + k * asked * d : NULL;
        real *alone = computed(s, &one, false);
        for (int i = 0; i < size; i++)
            if (!(apart(alone[i], together[k * size + i]) <= near * largest))
                return k + 1;
        free(alone);
    }
    return 0;
}

static Finding
check_batches(const char *word)
{
    static const char *const ways_of[] = {"self-", "causal self-", "cross-"};
    Subject s = subject_open(word);
    for (int i = 0; i < 3; i++) {
        int k = mixed(&s, i == 2 ? 7 : 0, i == 1);
        if (k)
            return finding(FAILED,
                           "%sattention: sequence %d comes out otherwise "
                           "beside others than alone: a sum runs over all "
                           "rows, where each sequence has its own",
                           ways_of[i], k);
    }
    return finding(PASSED, "three sequences at once are each as it is alone");
}

const Check checks[] = {
    {"shapes", 4, check_shapes},       {"finite", 4, check_finite},
    {"same bits", 4, check_repeats},   {"causality", 4, check_causality},
    {"batches", 4, check_batches},     {"all used", 8, check_use},
    {"gradients", 8, check_gradients}, {"linear", 8, check_form},
    {"adopt", 8, check_adopt},
};
const int check_count = sizeof checks / sizeof *checks;
