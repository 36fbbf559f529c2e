/* calls.c - the checks for which float is precise enough: shapes, repetition,
   causality, x and y, batches, decoding. A "way" is a way of calling forward
   (subject.h). */
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/capture.h"
#include "base/words.h"
#include "check/checks.h"
#include "decode/generate.h"

/* How far two equal outputs may be apart, relative to their largest number: not
   at all, or by rounding. Calls with different numbers of rows may add up the
   same sum in another order, so their outputs differ by rounding. */
static const double exactly = 0;
static const double rounding = sizeof(real) == 4 ? 1e-5 : 1e-13;

/* Returns whether the `count` numbers of a and of b differ by at most
   `allowed`, relative to the largest number of b, or to 1 if all of these are
   smaller. */
static bool
same(const real *a, const real *b, int count, double allowed)
{
    Difference difference = {.largest = 1};
    for (int i = 0; i < count; i++)
        compare_entries(&difference, (double)a[i], (double)b[i]);
    return relative_difference(difference) <= allowed;
}

/* Returns a hash of the names and shapes of the declared matrices. */
static uint64_t
hash_matrices(const Weights *w)
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < w->count; i++) {
        const Weight *one = &w->list[i];
        hash = hash_bytes(hash, one->name, strlen(one->name) + 1);
        int shape[] = {one->rows, one->cols};
        hash = hash_bytes(hash, shape, sizeof shape);
    }
    return hash;
}

/* Returns whether `other` differs from s in its declared matrices or its
   outputs. `hash` is the result of call_all for s. Matrices are compared first:
   if they differ, `other` need not be called. */
static bool
differs(Subject *other, const Subject *s, uint64_t hash)
{
    return hash_matrices(&other->weights) != hash_matrices(&s->weights) ||
           call_all(other) != hash;
}

/* Changes each setting of the shape in turn, the plugin's own among them. A
   setting that the plugin declares, in .shape or .settings, must change its
   matrices or its outputs; any other setting must not. `hash` is the result of
   call_all for s. */
static void
vary_settings(Subject *s, uint64_t hash)
{
    const char *shape = s->plugin.variant->shape;
    if (differs(s, s, hash)) /* nothing can be compared; check_repeats fails */
        return;
    for (int i = 0; i < setting_count; i++) {
        const Setting *setting = &settings[i];
        const char *name = setting->name;
        if (setting->role != OF_SHAPE)
            continue;
        /* The plugin's own settings, declared in .settings, are of kind OWN. */
        bool is_declared = setting->kind == OWN || index_in(shape, name) >= 0;
        Subject other = subject_changed(s, setting);
        bool matters = differs(&other, s, hash);
        if (is_declared && !matters)
            fail("it declares %s, but does not depend on it: use it, or do "
                 "not declare it",
                 name);
        if (matters && !is_declared)
            fail("it uses %s, which .shape does not name: add it to .shape",
                 name);
    }
}

/* The numbers of tokens in a short sequence and in a long one. */
enum { TOKENS = 6, MANY = 300 };

/* Calls forward at a shape of realistic size. This reveals an array in the
   plugin's own operator that is too short for a row. */
static void
call_large(const Subject *s)
{
    Subject large = subject_at(*s, LARGE);
    Tokens in = tokens_of(
        &large,
        (Way){.sequences = 1, .queries = MANY, .causal = true, .size = 1});
    computed(&in, true);
}

/* All blocks must declare the same matrices, and all ways of calling forward
   must work. call_all runs every block, so it is called only for the first
   block. Settings and the large shape are tried only at the first shape. */
void
check_shapes(Subject *s)
{
    Weights declared = weights_declared(s->plugin.variant, &s->attention);
    if (hash_matrices(&declared) != hash_matrices(&s->weights))
        bug("weights declares different matrices in block %d than in block 1: "
            "only their initial values may depend on a->layer",
            s->attention.layer + 1);
    if (s->attention.layer != FIRST_LAYER)
        return;
    uint64_t hash = call_all(s);
    if (s->shape != FIRST_SHAPE)
        return;
    s->found->hash = hash;
    vary_settings(s, hash);
    call_large(s);
    int parameters = 0;
    for (int i = 0; i < s->weights.count; i++)
        parameters += (int)entries_of(&s->weights.list[i]);
    static const char *const kinds[] = {[ANY_CALL] = "self-, cross- and causal",
                                        [SELF_ONLY] = "self- and causal",
                                        [CAUSAL_ONLY] = "causal"};
    passed(s,
           "%d matrices, %d parameters; all numbers are finite in %s "
           "attention, with one token, many, and tokens 30 times as large",
           s->weights.count, parameters, kinds[s->plugin.variant->calls]);
}

/* After calls at another shape, two calls on the same numbers must give the
   same bits. call_all runs every block, so it is called only for the first. */
void
check_repeats(Subject *s)
{
    bool is_first = s->shape == FIRST_SHAPE;
    if (s->attention.layer != FIRST_LAYER)
        return;
    Subject other = subject_at(*s, is_first ? FIRST_SHAPE + 1 : FIRST_SHAPE);
    call_all(&other);
    /* At the first shape, these are the bits that check_shapes found in its own
       process, in which no other shape had been called before. */
    uint64_t expected = is_first ? s->found->hash : call_all(s);
    if (call_all(s) != expected || call_all(s) != expected)
        bug("the same call gives different numbers a second time, or after a "
            "call at another shape: does it keep something between calls, such "
            "as a table in a static variable, or draw from rand()?");
    passed(s, "the same call twice gives the same bits");
}

/* Adds 1 to all entries of a token of y, or of x in self-attention. Sets
   changed[t] to whether that changes the output of token t. The entries are not
   changed back: a caller changes one token after another. */
static void
change_token(Tokens *in, int token, bool changed[TOKENS])
{
    int d = in->subject->attention.d_model;
    real *before = computed(in, false), *keys = in->y ? in->y : in->x;
    for (int j = 0; j < d; j++)
        keys[token * d + j] += 1;
    real *after = computed(in, false);
    for (int t = 0; t < TOKENS; t++)
        changed[t] = !same(after + t * d, before + t * d, d, exactly);
}

/* Changes the last token of a long sequence, then all but about its first
   fifth. No output before the changed tokens may change. */
static void
change_end_of_long(Subject *s)
{
    const int first_changed[] = {MANY - 1, MANY / 5 - 1};
    Stack k = stack_of(s, MANY);
    Tape *t = tape_new(COMPUTE);
    size_t logits = (size_t)MANY * SYMBOLS;
    real *before = allocate(logits, sizeof *before);
    memcpy(before, model_forward(k.model, t, &k.batch)->value,
           logits * sizeof *before);
    for (int change = 0; change < 2; change++) {
        int first = first_changed[change];
        for (int i = first; i < MANY; i++)
            k.batch.ids[i] = (k.batch.ids[i] + 1) % SYMBOLS;
        tape_reset(t);
        const real *after = model_forward(k.model, t, &k.batch)->value;
        if (!same(after, before, first * SYMBOLS, exactly))
            fail("with %d blocks and %d tokens, the tokens from %d on change "
                 "an earlier output: is the mask of `a` applied everywhere?",
                 s->config.layers, MANY, first + 1);
    }
}

/* Under a causal mask, no token may change an earlier output. The last token is
   changed first, so a message names the last token that changes one. */
static void
check_masked(Subject *s)
{
    bool changed[TOKENS];
    Tokens in = tokens_of(
        s, (Way){.sequences = 1, .queries = TOKENS, .causal = true, .size = 1});
    for (int token = TOKENS - 1; token >= 0; token--) {
        change_token(&in, token, changed);
        for (int t = 0; t < token; t++)
            if (changed[t])
                fail("token %d changes the output of the earlier token %d: "
                     "does forward ignore the mask of `a`, or pass something "
                     "from a token to an earlier one?",
                     token + 1, t + 1);
    }
}

/* Without a mask, if any token changes a later output, some token must also
   change an earlier output. `keys` is the number of keys, or NO_Y. */
static void
check_unmasked(Subject *s, int keys)
{
    bool changed[TOKENS], earlier = false, later = false;
    Tokens in = tokens_of(
        s, (Way){.sequences = 1, .queries = TOKENS, .keys = keys, .size = 1});
    for (int token = 0; token < TOKENS; token++) {
        change_token(&in, token, changed);
        for (int t = 0; t < TOKENS; t++) {
            earlier |= t < token && changed[t];
            later |= t > token && changed[t];
        }
    }
    if (later && !earlier)
        fail("without a mask (a->causal is 0), no token changes an earlier "
             "output: does forward apply a mask that `a` does not ask for?");
}

/* The block is called without a mask in self-attention (NO_Y), and with TOKENS
   keys of a second sequence. The long sequence runs through a model of all
   blocks, so it is tried only once, at the last block. */
void
check_causality(Subject *s)
{
    check_masked(s);
    if (s->plugin.variant->calls != CAUSAL_ONLY) {
        check_unmasked(s, NO_Y);
        check_unmasked(s, TOKENS);
    }
    if (s->attention.layer == s->attention.layers - 1)
        change_end_of_long(s);
    passed(s, "no token changes an earlier output, except without a mask");
}

/* Calls forward once with all tokens, and once in `way`, which has one
   sequence: on some tokens of x, from number `first` on, and on y, which is
   NULL in self-attention. Returns whether both calls give these tokens the same
   outputs. */
static bool
same_in_part(Tokens *all, Way way, int first, real *y)
{
    int d = all->subject->attention.d_model;
    int entries = way.queries * d; /* of the part's x, and of its outputs */
    Tokens part = *all;
    part.way = way;
    part.x += first * d;
    part.x_size = entries;
    part.size = entries; /* y, if any, does not follow x in memory */
    part.y = y;
    const real *whole = computed(all, false);
    return same(computed(&part, false), whole + first * d, entries, rounding);
}

/* Calls forward with only the first tokens as x, and with all tokens as x; y is
   all tokens in both calls. The outputs are not compared with self-attention,
   because a variant may treat that differently: Flamingo has gates only in
   cross-attention. */
void
check_queries(Subject *s)
{
    s->found->untested = s->plugin.variant->calls != ANY_CALL;
    if (s->found->untested) {
        passed(s, "it is for self-attention only, where y is x");
        return;
    }
    Tokens all = tokens_of(
        s, (Way){.sequences = 1, .queries = TOKENS, .keys = TOKENS, .size = 1});
    Way some = all.way;
    some.queries = TOKENS - 2; /* any number below TOKENS would do */
    const int first = 0;
    memcpy(all.y, all.x, (size_t)all.x_size * sizeof(real));
    if (!same_in_part(&all, some, first, all.x))
        fail("with all %d tokens as y, the outputs of the first %d change if x "
             "has only these: make keys and values from y",
             TOKENS, some.queries);
    passed(s, "queries come from x, keys and values from y");
}

/* In self-, cross- and causal attention, each sequence of a batch must get the
   same output as when it is the only one. */
void
check_batches(Subject *s)
{
    for (int way = SELF_WAY; way < BASIC_WAYS; way++)
        for (int k = 0; k < ways[way].sequences; k++) {
            Tokens all = tokens_of(s, ways[way]);
            Way one = all.way;
            real *y = all.y; /* of sequence k; NULL in self-attention */
            if (y)
                y += k * one.keys * s->attention.d_model;
            one.sequences = 1;
            if (!same_in_part(&all, one, k * one.queries, y))
                fail("the output of sequence %d changes if the batch has "
                     "another sequence: does a sum run over all of them?",
                     k + 1);
        }
    passed(s, "a batch of two sequences gives what each gives alone");
}

/* Decodes the next n tokens of the batch in one step. Their outputs must be
   `wanted`, the outputs of one call for the whole sequence. `read` is the
   number of earlier tokens. */
static void
decode_step(const Subject *s, Decoder *d, const Batch *b, int read, int n,
            const real *wanted)
{
    static const char in_c[] =
        "pass whatever is kept from earlier tokens, except keys and values, "
        "through cached(); do not add a->position to the positions of a Bias "
        "or in rotate, which have it already; and let no token see a later one";
    static const char in_equation[] =
        "shift needs earlier rows, which are kept only if they are cached: "
        "write shift(cached(y W_i^V), 1)";
    const real *last = decoder_read(d, b->ids + read, n);
    const real *first = last - (n - 1) * SYMBOLS;
    for (int i = 0; i < n; i++)
        if (!same(first + i * SYMBOLS, wanted + (read + i) * SYMBOLS, SYMBOLS,
                  rounding))
            fail("the output for token %d differs when tokens are decoded %s "
                 "at a time: %s",
                 read + i + 1, n == 1 ? "one" : format_text("%d", n),
                 advice(s, in_c, in_equation));
}

/* Decodes a sequence with a model of all blocks, one token at a time, but a few
   tokens at once in the beginning and in the middle, as a long prompt is read.
   The outputs must be the same as in one call for the whole sequence. This
   check is called for each block; since the model has all blocks, it does its
   work only for the first. */
void
check_decoding(Subject *s)
{
    enum { FEW = 3, MIDDLE = MANY / 2 };
    if (s->attention.layer != FIRST_LAYER)
        return;
    Stack k = stack_of(s, MANY);
    Model *m = k.model;
    Tape *t = tape_new(COMPUTE);
    const real *all = model_forward(m, t, &k.batch)->value;
    Decoder *d = decoder_new(m, MANY);
    for (int read = 0, n; read < MANY; read += n) {
        n = read == 0 || read == MIDDLE ? FEW : 1;
        decode_step(s, d, &k.batch, read, n, all);
    }
    double kept = 0;
    for (int block = 0; block < m->places; block++)
        kept += cache_entries(d->cache, block);
    passed(s,
           "decoding one token at a time, or %d at once, gives the outputs of "
           "one call for all, keeping %.4g numbers per token and block",
           FEW, kept / m->places);
}
