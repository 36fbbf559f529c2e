/* calls.c - checks of single calls, which float can decide: shapes, repetition,
   causality, x and y, batches, decoding. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/cost.h"
#include "base/words.h"
#include "check/checks.h"

/* Are they the same except for rounding, which depends on how a product is cut
   up? Bit for bit, if `rounded` is not set. */
static bool
same(const real *a, const real *b, int count, bool rounded)
{
    double near = !rounded ? 0 : sizeof(real) == 4 ? 1e-5 : 1e-13, largest = 1;
    for (int i = 0; i < count; i++) {
        /* fmax here crashes gcc 12 for ARM */
        double x = fabs((double)b[i]);
        largest = x > largest ? x : largest;
    }
    for (int i = 0; i < count; i++)
        if (fabs((double)a[i] - (double)b[i]) > near * largest)
            return false;
    return true;
}

static bool
same_matrices(const Weights *a, const Weights *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (a->list[i].rows != b->list[i].rows ||
            a->list[i].cols != b->list[i].cols ||
            strcmp(a->list[i].name, b->list[i].name))
            return false;
    return true;
}

/* Has `other` other matrices than s, or another output? A window shows where
   there are many tokens, and one to both sides where there is no mask. */
static bool
differs(Subject *other, Subject *s)
{
    Way way = {.sequences = 1, .queries = 33, .size = 1, .layer = 1};
    if (!same_matrices(&other->weights, &s->weights))
        return true;
    for (int i = 0; i < 2; i++) {
        way.causal = i;
        Tokens in = tokens_of(s, way);
        const real *output = computed(&in, false);
        in.subject = other;
        if (!same(output, computed(&in, false), in.x_size, false))
            return true;
    }
    return false;
}

/* The heads of all nodes of a call, added up. */
static int
total_heads(Subject *s)
{
    int heads = 0;
    Tokens in = tokens_of(s, ways[0]);
    Tape *t = shapes_of(&in);
    for (const Node *n = t->last; n; n = n->previous)
        heads += n->heads;
    return heads;
}

/* What .shape declares must matter, and what it does not may not. */
static void
vary_option(Subject *s, const Setting *option)
{
    const char *name = option->name;
    Subject other = subject_changed(s, option);
    bool named = shape_uses(s->plugin.variant->shape, name);
    bool used = differs(&other, s);
    if (used != named)
        fail(used ? "it uses %s, which .shape does not name: so nobody can set "
                    "it (a width is d_model then, heads are 1)"
                  : ".shape names %s, on which neither matrices nor output "
                    "depend",
             name);
    if (named && !strcmp(name, "heads") && !s->plugin.own_operator &&
        total_heads(&other) == total_heads(s))
        fail(".shape names heads, but nothing has more of them where there are "
             "more: does split give q, k and v a->heads each?");
}

static void
vary_options(Subject *s)
{
    const char *at = s->attention.settings ? s->attention.settings : "";
    static Own own;
    subject_draw(s); /* what earlier calls may have written into */
    if (differs(s, s))
        return; /* check_repeats reports it */
    for (int i = 0; i < settings_built_in; i++)
        if (settings[i].role == OF_SHAPE)
            vary_option(s, &settings[i]);
    while (own_next(&at, &own)) {
        Subject other = *s;
        other.attention.settings =
            format_text("%s=%d %s", own.name, own.value == 1 ? 2 : 1,
                        s->attention.settings);
        subject_draw(&other);
        if (!differs(&other, s))
            fail(".settings declares %s, on which neither matrices nor output "
                 "depend",
                 own.name);
    }
}

void
check_shapes(Subject *s)
{
    Attention second = s->attention;
    int count = 0;
    second.layer = 1;
    Weights declared = weights_declared(s->plugin.variant, &second);
    if (!same_matrices(&declared, &s->weights))
        fail("weights declares other matrices in the second block than in the "
             "first: only what they start as may depend on a->layer");
    s->found->hash = call_all(s);
    Subject other = subject_at(*s, ELSEWHERE);
    call_all(&other);
    vary_options(s);
    for (int i = 0; i < s->weights.count; i++)
        count += entries(s, i);
    passed(s,
           "%d matrices, %d parameters; self-, cross- and causal attention, "
           "one token, many, 30 times as large: all is finite",
           s->weights.count, count);
}

/* Calls on the same numbers, after some at another shape: they must be what
   they are twice, and what they were without, in the process of check_shapes.
 */
void
check_repeats(Subject *s)
{
    uint64_t alone = s->found->hash;
    Subject other = subject_at(*s, ELSEWHERE);
    call_all(&other);
    if (call_all(s) != alone || call_all(s) != alone)
        bug("the same call gives other numbers a second time, or after a call "
            "at another shape: does the plugin keep something between calls, "
            "as a table in a static variable, draw from rand() or write into "
            "its operands?");
    for (int i = 0; i < 2; i++) { /* cross-attention, too */
        Tokens in = tokens_of(s, ways[i]);
        double kept = bytes_kept(&in);
        if (kept > 0)
            bug("each call keeps %.0f bytes that nobody frees: a plugin "
                "allocates nothing",
                kept);
    }
    passed(s, "the same call twice gives the same bits");
}

enum { TOKENS = 6 };

/* Changes one token after the other, with a mask, in the first block and the
   next, and without one. */
void
check_causality(Subject *s)
{
    int d = s->attention.d_model;
    bool later = false, earlier = false;
    Way way = {.sequences = 1, .queries = TOKENS, .size = 1};
    Tokens in = tokens_of(s, way);
    for (int i = 0; i < 3 * TOKENS; i++) {
        int token = i % TOKENS, after = token + 1;
        in.way.causal = i < 2 * TOKENS;
        in.way.layer = i < TOKENS;
        real *was = computed(&in, false);
        for (int j = 0; j < d; j++)
            in.x[token * d + j] += 1;
        real *is = computed(&in, false);
        bool moved = !same(is, was, token * d, false);
        if (moved && in.way.causal)
            fail("token %d moves the output of one before it: something "
                 "ignores the mask of `a` (attend, softmax and mask_zero apply "
                 "it)",
                 token + 1);
        earlier |= moved;
        later |=
            !same(is + after * d, was + after * d, (TOKENS - after) * d, false);
    }
    if (later && !earlier)
        fail("without a mask (a->causal is 0) no token moves the output of an "
             "earlier one either: is there a mask that `a` does not ask for?");
    passed(s, "a later token moves no earlier output, unless there is no mask");
}

/* Some of the tokens in a call of their own, those of x from row `from` on:
   have they the output which they have in `whole`, the one for all? */
static bool
same_apart(const Tokens *all, const real *whole, Way way, int from, real *y)
{
    int d = all->subject->attention.d_model;
    Tokens some = *all;
    some.way = way;
    some.x += from * d;
    some.x_size = way.queries * d;
    some.y = y;
    return same(computed(&some, false), whole + from * d, some.x_size, true);
}

/* In cross-attention with more keys than queries: does cached mark queries? */
static bool
caches_queries(Tokens *in)
{
    bool found = false;
    Tape *t = shapes_of(in);
    for (const Node *n = t->last; n; n = n->previous)
        found |=
            n->kept_by_decoder && n->rows != in->way.sequences * in->way.keys;
    return found;
}

/* Some of the tokens as x, with all of them as y. */
void
check_queries(Subject *s)
{
    Way way = {.sequences = 1, .queries = TOKENS, .size = 1};
    Way some = {1, TOKENS - 2, TOKENS, false, 0, 1, false};
    Tokens all = tokens_of(s, way), crossed = all;
    crossed.way = some;
    crossed.y = all.x;
    real *whole = computed(&all, false);
    if (caches_queries(&crossed))
        fail("cached marks what is made from x: a decoder keeps what keys and "
             "values are made from, of y");
    if (!same_apart(&all, whole, some, 0, all.x))
        fail("where x is the first %d of %d tokens and y all of them, their "
             "outputs are not what they are in self-attention: are keys and "
             "values made from y, whether it is x or not?",
             some.queries, TOKENS);
    passed(s, "queries come from x, keys and values from y");
}

/* One token at a time, with what a decoder keeps of those before; in the first
   block and the next. */
void
check_decoding(Subject *s)
{
    Way way = {.sequences = 1, .queries = 37, .causal = true, .size = 1};
    int d = s->attention.d_model, kept = 0;
    for (way.layer = 0; way.layer < 2; way.layer++) {
        Tokens in = tokens_of(s, way);
        real *wanted = computed(&in, false);
        real *found = decoded(&in, &kept);
        Cost c = cost_of(s->plugin.variant, s->attention, &s->weights,
                         way.queries, 0);
        for (int i = 0; i < way.queries; i++)
            if (!same(found + i * d, wanted + i * d, d, true))
                fail("token %d has another output when forward gets one token "
                     "after the other than when it gets all: what it needs of "
                     "earlier ones besides keys and values is to go through "
                     "cached",
                     i + 1);
        if (c.cache != kept)
            fail("a decoder keeps %d numbers of a token, and keys and values "
                 "are made from %g: are they made from what cached returns, "
                 "and from all of it?",
                 kept, c.cache);
    }
    passed(s,
           "one token after the other gives what all at once give, keeping %d "
           "numbers of each",
           kept);
}

/* Each of two sequences in a call of its own. */
void
check_batches(Subject *s)
{
    for (int i = 0; i < 6; i++) {
        int k = i % 2;
        Way one = ways[i / 2];
        Tokens all = tokens_of(s, one);
        real *y = one.keys ? all.y + k * one.keys * s->attention.d_model : NULL;
        one.sequences = 1;
        if (!same_apart(&all, computed(&all, false), one, k * one.queries, y))
            fail("sequence %d gives another output beside others than alone: "
                 "does a sum run over the rows of all sequences?",
                 k + 1);
    }
    passed(s, "two sequences at once give what each gives alone");
}
