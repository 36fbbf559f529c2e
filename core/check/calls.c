/* calls.c - checks of single calls, which float can decide: shapes, repetition,
   causality, x and y, batches, decoding; each in every block. */
#include <string.h>

#include "algebra/canonical.h"
#include "base/words.h"
#include "check/checks.h"
#include "decode/generate.h"

/* Are they the same except for rounding, which depends on how a product is cut
   up? Bit for bit, if `rounded` is not set. */
static bool
same(const real *a, const real *b, int count, bool rounded)
{
    double near = !rounded ? 0 : sizeof(real) == 4 ? 1e-5 : 1e-13;
    Difference off = {.largest = 1};
    for (int i = 0; i < count; i++)
        compare_entries(&off, (double)a[i], (double)b[i]);
    return relative_difference(off) <= near;
}

/* The names and shapes of matrices, as a hash. */
static uint64_t
hash_matrices(const Weights *w)
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < w->count; i++) {
        const Weight *d = &w->list[i];
        hash = hash_bytes(hash, d->name, strlen(d->name) + 1);
        hash = hash_bytes(hash, (int[]){d->rows, d->cols}, 2 * sizeof(int));
    }
    return hash;
}

/* Has it other matrices than s, or another output than s, whose hash (call_all)
   that is? Other matrices may not even fit where s does. */
static bool
differs(Subject *other, const Subject *s, uint64_t hash)
{
    return hash_matrices(&other->weights) != hash_matrices(&s->weights) ||
           call_all(other) != hash;
}

/* What is declared must matter, and what is not may not. */
static void
vary_settings(Subject *s, uint64_t hash)
{
    const char *declared = variant_uses(s->plugin.variant);
    if (differs(s, s, hash))
        return; /* check_repeats reports it */
    for (int i = 0; i < setting_count; i++) {
        const Setting *one = &settings[i];
        if (one->role != OF_SHAPE)
            continue;
        bool named = one->kind == OWN || index_in(declared, one->name) >= 0;
        Subject other = subject_changed(s, one);
        if (differs(&other, s, hash) == named)
            continue;
        fail(named
                 ? "it declares %s, on which neither matrices nor output "
                   "depend"
                 : "it uses %s, which .shape does not name: so nobody can set "
                   "it (a width is d_model then, heads are 1)",
             one->name);
    }
}

enum { TOKENS = 6, MANY = 300 };

/* As large as in use: an array that the plugin's operator has for a row may be
   too short. */
static void
call_large(const Subject *s)
{
    Subject large = subject_at(*s, LARGE);
    Tokens in = tokens_of(
        &large,
        (Way){.sequences = 1, .queries = MANY, .causal = true, .size = 1});
    computed(&in, true);
}

void
check_shapes(Subject *s)
{
    Weights declared = weights_declared(s->plugin.variant, &s->attention);
    int count = 0, all = s->weights.count;
    if (hash_matrices(&declared) != hash_matrices(&s->weights))
        bug("weights declares other matrices in block %d than in the first: "
            "only what they start as may depend on a->layer",
            s->attention.layer + 1);
    if (s->attention.layer)
        return;
    uint64_t hash = call_all(s);
    s->found->hash = s->shape ? s->found->hash : hash;
    if (s->shape == 0) {
        vary_settings(s, hash);
        call_large(s);
    }
    for (int i = 0; i < all; i++)
        count += entries(s, i);
    static const char *const kinds[] = {[ANY_CALL] = "self-, cross- and causal",
                                        [SELF_ONLY] = "self- and causal",
                                        [CAUSAL_ONLY] = "causal"};
    passed(s,
           "%d matrices, %d parameters; %s attention, one token, many, 30 "
           "times as large: all is finite",
           all, count, kinds[s->plugin.variant->calls]);
}

/* Calls on the same numbers, after some at another shape: they must be what
   they are twice, and what they were without, in the process of check_shapes.
 */
void
check_repeats(Subject *s)
{
    Subject other = subject_at(*s, s->shape == 0);
    if (s->attention.layer)
        return;
    call_all(&other);
    uint64_t alone = s->shape ? call_all(s) : s->found->hash;
    if (call_all(s) != alone || call_all(s) != alone)
        bug("the same call gives other numbers a second time, or after a call "
            "at another shape: does the plugin keep something between calls, "
            "as a table in a static variable, or draw from rand()?");
    passed(s, "the same call twice gives the same bits");
}

/* Changes a token of the keys: a bit for each token whose output is another. */
static unsigned
moved(Tokens *in, int token)
{
    int d = in->subject->attention.d_model;
    unsigned found = 0;
    real *was = computed(in, false), *keys = in->y ? in->y : in->x;
    for (int j = 0; j < d; j++)
        keys[token * d + j] += 1;
    real *is = computed(in, false);
    for (int t = 0; t < TOKENS; t++)
        found |= (unsigned)!same(is + t * d, was + t * d, d, false) << t;
    return found;
}

/* Changes the last token of a long sequence, and then most of its tokens: no
   output before them may move. */
static void
change_ends(Subject *s)
{
    Stack k = stack_of(s, MANY);
    Tape *t = tape_new(0);
    size_t size = (size_t)MANY * SYMBOLS * sizeof(real);
    real *was = allocate(1, size);
    memcpy(was, model_forward(k.model, t, &k.batch)->value, size);
    for (int first = MANY - 1; first > TOKENS * TOKENS; first /= 5) {
        for (int i = first; i < MANY; i++)
            k.batch.ids[i] = (k.batch.ids[i] + 1) % SYMBOLS;
        tape_reset(t);
        const real *is = model_forward(k.model, t, &k.batch)->value;
        if (!same(is, was, first * SYMBOLS, false))
            fail("in %d blocks and %d tokens, those from token %d on move the "
                 "output of an earlier one: does the mask of `a` hold "
                 "everywhere?",
                 s->config.layers, MANY, first + 1);
    }
}

/* Changes one token after the other, with a mask and without, then also in
   cross-attention. */
void
check_causality(Subject *s)
{
    Calls calls = s->plugin.variant->calls;
    Tokens in = tokens_of(
        s, (Way){.sequences = 1, .queries = TOKENS, .causal = true, .size = 1});
    for (int token = TOKENS - 1; token >= 0; token--) {
        int first = ffs((int)moved(&in, token));
        if (first && first <= token)
            fail("token %d moves the output of token %d, which is before it: "
                 "does something ignore the mask of `a` (attend, softmax and "
                 "mask_zero apply it), or does each token get something of the "
                 "next one?",
                 token + 1, first);
    }
    for (int cross = 0; cross < 2 && calls != CAUSAL_ONLY; cross++) {
        unsigned earlier = 0, later = 0;
        in = tokens_of(s, (Way){.sequences = 1,
                                .queries = TOKENS,
                                .keys = cross * TOKENS,
                                .size = 1});
        for (int token = 0; token < TOKENS; token++) {
            unsigned all = moved(&in, token);
            earlier |= all & ((1u << token) - 1);
            later |= all >> (token + 1);
        }
        if (later && !earlier)
            fail("without a mask (a->causal is 0) no token moves the output of "
                 "an earlier one either: is there a mask that `a` does not ask "
                 "for?");
    }
    if (s->attention.layer == s->attention.layers - 1)
        change_ends(s);
    passed(s, "a later token moves no earlier output, unless there is no mask");
}

/* Some of the tokens in a call of their own, those of x from row `from` on:
   have they the output which they have in the call for all? */
static bool
same_apart(Tokens *all, Way way, int from, real *y)
{
    int d = all->subject->attention.d_model;
    real *whole = computed(all, false);
    Tokens some = *all;
    some.way = way;
    some.x += from * d;
    some.x_size = some.size = way.queries * d;
    some.y = y;
    return same(computed(&some, false), whole + from * d, some.x_size, true);
}

/* Some of the tokens as x, or all of them, with all of them as y. Not compared
   with self-attention: a variant may treat that otherwise (Flamingo's gates are
   in cross-attention only). */
void
check_queries(Subject *s)
{
    s->found->untested = s->plugin.variant->calls != ANY_CALL;
    passed(s, "it is for self-attention only, where y is x");
    if (s->found->untested)
        return;
    Tokens all = tokens_of(
        s, (Way){.sequences = 1, .queries = TOKENS, .keys = TOKENS, .size = 1});
    Way some = {
        .sequences = 1, .queries = TOKENS - 2, .keys = TOKENS, .size = 1};
    memcpy(all.y, all.x, (size_t)all.x_size * sizeof(real));
    if (!same_apart(&all, some, 0, all.x))
        fail("where x is the first %d of %d tokens and y all of them, their "
             "outputs are not what they are where x is all of them: are keys "
             "and values made from y, whether it is x or not?",
             some.queries, TOKENS);
    passed(s, "queries come from x, keys and values from y");
}

/* Each of two sequences in a call of its own. */
void
check_batches(Subject *s)
{
    for (int i = 0; i < 6; i++) {
        int k = i % 2;
        Tokens all = tokens_of(s, ways[i / 2]);
        Way one = all.way;
        real *y = one.keys ? all.y + k * one.keys * s->attention.d_model : NULL;
        one.sequences = 1;
        if (!same_apart(&all, one, k * one.queries, y))
            fail("sequence %d gives another output beside others than alone: "
                 "does a sum run over the rows of all sequences?",
                 k + 1);
    }
    passed(s, "two sequences at once give what each gives alone");
}

/* In a model of all blocks: three tokens, and then one after the other, with
   what a decoder keeps of those before. */
void
check_decoding(Subject *s)
{
    enum { FIRST = 3 };
    int wrong = 0;
    if (s->attention.layer)
        return;
    Stack k = stack_of(s, MANY);
    Model *m = k.model;
    const real *all = model_forward(m, tape_new(0), &k.batch)->value;
    Decoder *d = decoder_new(m, MANY);
    for (int i = 0, n = FIRST; i < MANY; i += n, n = 1) {
        const real *last = decoder_read(d, k.batch.ids + i, n);
        int token = i + n;
        if (!wrong && !same(last, all + (token - 1) * SYMBOLS, SYMBOLS, true))
            wrong = token;
    }
    if (wrong)
        fail("token %d has another output when forward gets one token after "
             "the other than when it gets all: what it needs of earlier tokens "
             "besides keys and values is to go through cached; query and key "
             "of a Bias are positions, and rotate counts from a->position, "
             "without its being added; and no token may see a later one",
             wrong);
    for (int p = 0; p < m->places; p++)
        passed(s,
               "one token after the other gives what all at once give, keeping "
               "%d numbers of each",
               cache_entries(d->cache, p));
}
