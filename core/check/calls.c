/* calls.c - checks of single calls, which float can decide: shapes, finite
   numbers, repetition, causality, x and y, batches. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "algebra/cost.h"
#include "base/words.h"
#include "check/checks.h"
#include "config/settings.h"

static bool
same_bits(const real *a, const real *b, int count)
{
    return !memcmp(a, b, (size_t)count * sizeof(real));
}

/* Has `other` other matrices, or another output? */
static bool
differs(Subject *other, const Subject *s, const Tokens *in, const real *output)
{
    bool same = other->weights.count == s->weights.count;
    for (int i = 0; same && i < s->weights.count; i++)
        same = other->weights.list[i].rows == s->weights.list[i].rows &&
               other->weights.list[i].cols == s->weights.list[i].cols;
    return !same || !same_bits(output, computed(other, in, false), in->x_size);
}

/* The heads of all nodes of a call, added up. */
static int
total_heads(Subject *s, const Tokens *in)
{
    int heads = 0;
    Tape *t = shapes_of(s, in);
    for (const Node *n = t->last; n; n = n->previous)
        heads += n->heads;
    tape_free(t);
    return heads;
}

/* What .shape declares must matter, and what it does not may not. */
static Finding
vary_option(Subject *s, const Setting *option, const Tokens *in,
            const real *output)
{
    const char *name = option->name;
    Subject other = subject_changed(s, option);
    bool named = shape_uses(s->plugin.variant->shape, name);
    bool used = differs(&other, s, in, output);
    if (used && !named)
        return failed("it uses %s, which .shape does not name: so nobody can "
                      "set it (a width is d_model then, heads are 1)",
                      name);
    if (named && !used)
        return failed(".shape names %s, on which neither matrices nor output "
                      "depend",
                      name);
    if (named && !strcmp(name, "heads") && !s->plugin.own_operator &&
        total_heads(&other, in) == total_heads(s, in))
        return failed(".shape names heads, but nothing has more of them where "
                      "there are more: does split give q, k and v a->heads "
                      "each?");
    return (Finding){.verdict = PASSED};
}

/* Does it use its setting? A window shows where there are many tokens, and one
   to both sides where there is no mask. */
static bool
uses_setting(Subject *s, const Own *own)
{
    for (int i = 0; i < 4; i++) {
        Way way = {.sequences = 1, .queries = 33, .size = 1, .layer = 1};
        way.causal = i / 2;
        Tokens in = tokens_of(s, way);
        real *output = computed(s, &in, false);
        Subject other = *s;
        other.attention.settings =
            format_text("%s=%.17g %s", own->name, i % 2 ? 2 * own->value : 1,
                        s->attention.settings);
        subject_draw(&other);
        if (differs(&other, s, &in, output))
            return true;
    }
    return false;
}

/* A setting of its own that it never uses; NULL if there is none. */
static const char *
idle_setting(Subject *s)
{
    const char *at = s->attention.settings ? s->attention.settings : "";
    static Own own;
    while (own_next(&at, &own))
        if (!uses_setting(s, &own))
            return own.name;
    return NULL;
}

/* Each block declares the same matrices. */
static bool
blocks_differ(const Subject *s)
{
    Attention second = s->attention;
    second.layer = !second.layer;
    Weights w = weights_declared(s->plugin.variant, &second);
    bool same = w.count == s->weights.count;
    for (int i = 0; same && i < w.count; i++)
        same = w.list[i].rows == s->weights.list[i].rows &&
               w.list[i].cols == s->weights.list[i].cols &&
               !strcmp(w.list[i].name, s->weights.list[i].name);
    free(w.list);
    return !same;
}

static Finding
vary_options(Subject *s)
{
    Finding f = {.verdict = PASSED};
    Tokens in = tokens_of(s, ways[SECOND_BLOCK]);
    subject_draw(s); /* what earlier calls may have written into */
    real *output = computed(s, &in, false);
    if (!same_bits(output, computed(s, &in, false), in.x_size))
        return f; /* check_repeats reports it */
    for (int i = 0; i < settings_built_in && f.verdict == PASSED; i++)
        if (settings[i].role == OF_SHAPE)
            f = vary_option(s, &settings[i], &in, output);
    const char *idle = f.verdict == PASSED ? idle_setting(s) : NULL;
    return idle ? failed(".settings declares %s, on which neither matrices nor "
                         "output depend",
                         idle)
                : f;
}

Finding
check_shapes(Subject *s)
{
    int count = 0;
    if (blocks_differ(s))
        return failed("weights declares other matrices in the second block "
                      "than in the first: only what they start as may depend "
                      "on a->layer");
    for (int i = 0; i < WAYS + (s->weights.count > 0); i++) {
        Tokens in = tokens_of(s, ways[i % WAYS]);
        in.untrained = i == WAYS;
        computed(s, &in, true);
    }
    Subject other = subject_elsewhere(s);
    for (int i = 0; i < 3; i++) {
        Tokens in = tokens_of(&other, ways[i]);
        computed(&other, &in, true);
    }
    Finding f = vary_options(s);
    if (f.verdict == FAILED)
        return f;
    for (int i = 0; i < s->weights.count; i++)
        count += entries(s, i);
    return passed("%d matrices, %d parameters; self-, cross- and causal "
                  "attention, one token, many",
                  s->weights.count, count);
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
check_finite(Subject *s)
{
    for (int i = 0; i < WAYS; i++) {
        const char *what = ways[i].what;
        Tokens in = tokens_of(s, ways[i]);
        if (!all_finite(computed(s, &in, true), in.x_size))
            return failed("%s: the output is not finite", what);
        if (!all_finite(in.x_gradient, in.x_size))
            return failed("%s: the gradient of x is not finite", what);
        for (int k = 0; k < s->weights.count; k++)
            if (!all_finite(s->gradients[k], entries(s, k)))
                return failed("%s: the gradient of %s is not finite, its "
                              "output is",
                              what, s->weights.list[k].name);
    }
    return passed("output and gradients, also for tokens 30 times as large");
}

/* How much they differ. Two NaNs do not: check_finite reports those. */
static double
apart(real a, real b)
{
    return isnan(a) && isnan(b) ? 0 : fabs((double)a - (double)b);
}

/* But for rounding, which depends on how a product is cut up. */
static bool
nearly_same(const real *a, const real *b, int count)
{
    double near = sizeof(real) == 4 ? 1e-5 : 1e-13, largest = 1;
    for (int i = 0; i < count; i++) {
        /* fmax here crashes gcc 12 for ARM */
        double x = fabs((double)b[i]);
        largest = x > largest ? x : largest;
    }
    for (int i = 0; i < count; i++)
        if (!(apart(a[i], b[i]) <= near * largest))
            return false;
    return true;
}

typedef struct Hashing {
    Subject *subject;
    const Tokens *in;
} Hashing;

static void
compute_hash(const void *call, void *hash)
{
    const Hashing *c = call;
    real *output = computed(c->subject, c->in, false);
    size_t size = (size_t)c->in->x_size * sizeof *output;
    *(uint64_t *)hash = hash_bytes(HASH_START, output, size);
}

/* Two calls on the same numbers, with one at another shape in between, which
   must be what it is in a process of its own; then the same for
   cross-attention. */
Finding
check_repeats(Subject *s)
{
    Subject other = subject_elsewhere(s);
    for (int keys = 0; keys < 8; keys += 7) {
        Way way = {.sequences = 2, .queries = 5, .keys = keys, .size = 1};
        Tokens in = tokens_of(s, way);
        way.keys += 2 * (keys > 0);
        way.queries = 7;
        way.layer = 1;
        Tokens others = tokens_of(&other, way);
        Hashing call = {&other, &others};
        uint64_t alone, between;
        bool known = s->apart(compute_hash, &call, &alone, sizeof alone);
        real *first = computed(s, &in, true);
        compute_hash(&call, &between);
        if (!same_bits(first, computed(s, &in, true), in.x_size))
            return failed(
                "the same call twice gives different numbers: does the plugin "
                "keep something between calls, draw from rand() or write into "
                "its operands?");
        if (known && alone != between)
            return failed("a call gives other numbers after one at another "
                          "shape than alone: does the plugin keep something "
                          "between calls, as a table in a static variable?");
        long kept = bytes_kept(s, &in);
        if (kept > 0)
            return failed("each call keeps %ld bytes that nobody frees: a "
                          "plugin allocates nothing",
                          kept);
    }
    return passed("the same call twice gives the same bits");
}

enum { TOKENS = 6 };

/* Which outputs a change of one token changes. */
static void
changes(Subject *s, Tokens *in, int token, bool changed[TOKENS])
{
    int d = s->attention.d_model;
    real *before = computed(s, in, false);
    for (int j = 0; j < d; j++)
        in->x[token * d + j] += 1;
    real *after = computed(s, in, false);
    memset(changed, 0, TOKENS * sizeof *changed);
    for (int i = 0; i < TOKENS * d; i++)
        changed[i / d] |= apart(before[i], after[i]) != 0;
}

/* Changes one token after the other, with a mask and without. */
Finding
check_causality(Subject *s)
{
    bool changed[TOKENS], later = false, earlier = false;
    Way way = {.sequences = 1, .queries = TOKENS, .causal = true, .size = 1};
    Tokens in = tokens_of(s, way);
    for (int i = 2; i < 2 * TOKENS; i++) { /* in the first block and the next */
        int token = i / 2;
        in.way.layer = i % 2;
        changes(s, &in, token, changed);
        for (int k = 0; k < token; k++)
            if (changed[k])
                return failed("token %d moves the output of token %d, which "
                              "comes before it: something ignores the mask of "
                              "`a` (attend, softmax and mask_zero apply it)",
                              token + 1, k + 1);
    }
    in.way.causal = false;
    for (int token = 0; token < TOKENS; token++) {
        changes(s, &in, token, changed);
        for (int i = 0; i < TOKENS; i++) {
            earlier |= i < token && changed[i];
            later |= i > token && changed[i];
        }
    }
    if (later && !earlier)
        return failed("without a mask (a->causal is 0) no token moves the "
                      "output of an earlier one either: is there a mask that "
                      "`a` does not ask for?");
    return passed("a later token moves no earlier output, unless there is no "
                  "mask");
}

/* In cross-attention with more keys than queries: does cached mark queries? */
static bool
caches_queries(Subject *s, const Tokens *in)
{
    bool found = false;
    Tape *t = shapes_of(s, in);
    for (const Node *n = t->last; n; n = n->previous)
        found |=
            n->kept_by_decoder && n->rows != in->way.sequences * in->way.keys;
    tape_free(t);
    return found;
}

/* Some of the tokens as x, with all of them as y. */
Finding
check_queries(Subject *s)
{
    enum { SOME = 4 };
    Way way = {.sequences = 1, .queries = TOKENS, .size = 1};
    Tokens all = tokens_of(s, way), some = all;
    some.way.queries = SOME;
    some.way.keys = TOKENS;
    some.x_size = SOME * s->attention.d_model;
    some.y = all.x;
    real *together = computed(s, &all, false);
    if (caches_queries(s, &some))
        return failed("cached marks what is made from x: a decoder keeps what "
                      "keys and values are made from, of y");
    if (!nearly_same(computed(s, &some, false), together, some.x_size))
        return failed(
            "where x is the first %d of %d tokens and y all of them, "
            "their outputs are not what they are in self-attention: "
            "are keys and values made from y, whether it is x or not?",
            SOME, TOKENS);
    return passed("queries come from x, keys and values from y");
}

/* One token at a time, with what a decoder keeps of those before; in the first
   block and the next. */
Finding
check_decoding(Subject *s)
{
    Way way = {.sequences = 1, .queries = 37, .causal = true, .size = 1};
    int d = s->attention.d_model, kept = 0;
    for (way.layer = 0; way.layer < 2; way.layer++) {
        Tokens in = tokens_of(s, way);
        real *wanted = computed(s, &in, false);
        real *found = decoded(s, &in, &kept);
        Cost c = cost_of(s->plugin.variant, s->attention, &s->weights,
                         way.queries, 0);
        for (int i = 0; i < way.queries; i++)
            if (!nearly_same(found + i * d, wanted + i * d, d))
                return finding(
                    FAILED,
                    "token %d has another output when forward gets one token "
                    "after the other than when it gets all: what it needs of "
                    "earlier ones besides keys and values is to go through "
                    "cached",
                    i + 1);
        if (c.cache != kept)
            return finding(FAILED,
                           "a decoder keeps %d numbers of a token, and keys "
                           "and values are made from %g: are they made from "
                           "what cached returns, and from all of it?",
                           kept, c.cache);
    }
    return finding(PASSED,
                   "one token after the other gives what all at once give, "
                   "keeping %d numbers of each",
                   kept);
}

/* The first of several sequences, counted from 1, whose output differs from its
   output alone; 0 if there is none. */
static int
mixed(Subject *s, int keys, bool causal)
{
    enum { MANY = 3 };
    int d = s->attention.d_model, size = TOKENS * d;
    Tokens all = tokens_of(s, (Way){.sequences = MANY,
                                    .queries = TOKENS,
                                    .keys = keys,
                                    .causal = causal,
                                    .size = 1});
    Tokens one = all;
    real *together = computed(s, &all, false);
    one.way.sequences = 1;
    one.x_size = size;
    for (int k = 0; k < MANY; k++) {
        one.x = all.x + k * size;
        one.y = keys ? all.y + k * keys * d : NULL;
        if (!nearly_same(computed(s, &one, false), together + k * size, size))
            return k + 1;
    }
    return 0;
}

Finding
check_batches(Subject *s)
{
    static const char *const kinds[] = {"self-", "causal self-", "cross-"};
    for (int i = 0; i < 3; i++) {
        int k = mixed(s, i == 2 ? 7 : 0, i == 1);
        if (k)
            return failed("%sattention: sequence %d gives another output "
                          "beside others than alone: does a sum run over the "
                          "rows of all sequences?",
                          kinds[i], k);
    }
    return passed("three sequences at once give what each gives alone");
}
