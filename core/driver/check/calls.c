/* calls.c - checks of single calls, which float can decide: shapes, finite
   numbers, repetition, causality, batches. */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "task/config.h"
#include "driver/check/subject.h"

static bool
same_bits(const real *a, const real *b, int count)
{
    return !memcmp(a, b, (size_t)count * sizeof(real));
}

/* A shape option on which the output depends, though .shape does not name it;
   NULL if there is none. */
static const char *
unnamed_option(Subject *s)
{
    static const struct {
        const char *name;
        size_t offset;
    } options[] = {{"heads", offsetof(Attention, heads)},
                   {"d-k", offsetof(Attention, d_k)},
                   {"d-v", offsetof(Attention, d_v)},
                   {"kv-heads", offsetof(Attention, kv_heads)},
                   {"latent", offsetof(Attention, latent)}};
    Tokens in = tokens_of(s, ways[0]);
    real *before = computed(s, &in, false);
    if (!same_bits(before, computed(s, &in, false), in.x_size))
        return NULL; /* check_repeats reports it */
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        Subject other = *s;
        if (shape_uses(s->plugin.variant->shape, options[i].name))
            continue;
        *(int *)((char *)&other.attention + options[i].offset) *= 2;
        subject_draw(&other);
        if (!same_bits(before, computed(&other, &in, false), in.x_size))
            return options[i].name;
    }
    return NULL;
}

Finding
check_shapes(const char *word)
{
    Subject s = subject_open(word);
    int count = 0;
    for (int i = 0; i < WAYS + (s.weights.count > 0); i++) {
        Tokens in = tokens_of(&s, ways[i % WAYS]);
        in.untrained = i == WAYS;
        computed(&s, &in, true);
    }
    const char *unnamed = unnamed_option(&s);
    if (unnamed)
        return finding(FAILED,
                       "it uses %s, which .shape does not name: so nobody can "
                       "set it (a width is d_model then, heads are 1)",
                       unnamed);
    for (int i = 0; i < s.weights.count; i++)
        count += entries(&s, i);
    return finding(PASSED,
                   "%d matrices, %d parameters; self-, cross- and causal "
                   "attention, one token, many",
                   s.weights.count, count);
}

static bool
all_finite(const real *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

Finding
check_finite(const char *word)
{
    Subject s = subject_open(word);
    for (int i = 0; i < WAYS; i++) {
        const char *what = ways[i].what;
        Tokens in = tokens_of(&s, ways[i]);
        if (!all_finite(computed(&s, &in, true), in.x_size))
            return finding(FAILED, "%s: the output is not finite", what);
        if (!all_finite(in.x_gradient, in.x_size))
            return finding(FAILED, "%s: the gradient of x is not finite", what);
        for (int k = 0; k < s.weights.count; k++)
            if (!all_finite(s.gradients[k], entries(&s, k)))
                return finding(FAILED,
                               "%s: the gradient of %s is not finite, its "
                               "output is",
                               what, s.weights.list[k].name);
    }
    return finding(PASSED,
                   "output and gradients, also for tokens 30 times as large");
}

/* Two calls on the same numbers, with another shape in between; then the same
   for cross-attention. */
Finding
check_repeats(const char *word)
{
    Subject s = subject_open(word);
    for (int keys = 0; keys < 8; keys += 7) {
        Tokens in = tokens_of(&s, (Way){"", 2, 5, keys, false, 1});
        Tokens other = tokens_of(&s, (Way){"", 1, 3, 4, false, 1});
        real *first = computed(&s, &in, true);
        if (fegetround() != FE_TONEAREST || *localeconv()->decimal_point != '.')
            return finding(
                FAILED,
                "forward changes how the whole process rounds or writes "
                "numbers (fesetround, setlocale)");
        computed(&s, &other, true);
        if (!same_bits(first, computed(&s, &in, true), in.x_size))
            return finding(
                FAILED, "the same call twice gives different numbers: does the "
                        "plugin keep something between calls, or write "
                        "into its operands?");
    }
    return finding(PASSED, "the same call twice gives the same bits");
}

/* How much they differ. Two NaNs do not: check_finite reports those. */
static double
apart(real a, real b)
{
    return isnan(a) && isnan(b) ? 0 : fabs((double)a - (double)b);
}

/* Changes a late token and looks for changes in earlier outputs. */
Finding
check_causality(const char *word)
{
    enum { TOKENS = 6 };
    Subject s = subject_open(word);
    int d = s.attention.d_model;
    Tokens in = tokens_of(&s, (Way){"", 1, TOKENS, 0, true, 1});
    for (int late = 1; late < TOKENS; late++) {
        real *before = computed(&s, &in, false);
        for (int j = 0; j < d; j++)
            in.x[late * d + j] += 1;
        real *after = computed(&s, &in, false);
        for (int i = 0; i < late * d; i++)
            if (apart(before[i], after[i]) != 0)
                return finding(FAILED,
                               "token %d moves the output of token %d, which "
                               "comes before it: something ignores the mask of "
                               "`a` (attend, softmax and mask_zero apply it)",
                               late + 1, i / d + 1);
    }
    return finding(PASSED, "a later token moves no earlier output");
}

/* The first of several sequences, counted from 1, whose output differs from its
   output alone; 0 if there is none. */
static int
mixed(Subject *s, int keys, bool causal)
{
    enum { TOKENS = 5, MANY = 3 };
    int d = s->attention.d_model, size = TOKENS * d;
    Tokens all = tokens_of(s, (Way){"", MANY, TOKENS, keys, causal, 1});
    Tokens one = all;
    real *together = computed(s, &all, false);
    double near = sizeof(real) == 4 ? 1e-5 : 1e-13, largest = 1;
    one.way.sequences = 1;
    one.x_size = size;
    for (int i = 0; i < MANY * size; i++) {
        /* fmax here crashes gcc 12 for ARM */
        double x = fabs((double)together[i]);
        largest = x > largest ? x : largest;
    }
    for (int k = 0; k < MANY; k++) {
        one.x = all.x + k * size;
        one.y = keys ? all.y + k * keys * d : NULL;
        real *alone = computed(s, &one, false);
        for (int i = 0; i < size; i++)
            if (!(apart(alone[i], together[k * size + i]) <= near * largest))
                return k + 1;
    }
    return 0;
}

Finding
check_batches(const char *word)
{
    static const char *const kinds[] = {"self-", "causal self-", "cross-"};
    Subject s = subject_open(word);
    for (int i = 0; i < 3; i++) {
        int k = mixed(&s, i == 2 ? 7 : 0, i == 1);
        if (k)
            return finding(FAILED,
                           "%sattention: sequence %d gives another output "
                           "beside others than alone: does a sum run over the "
                           "rows of all sequences?",
                           kinds[i], k);
    }
    return finding(PASSED,
                   "three sequences at once give what each gives alone");
}
