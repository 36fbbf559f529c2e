/* calls.c - checks of single calls, for which float is precise enough: shapes,
   repetition, causality, x and y, batches, decoding; each in every block. */
#include <string.h>

#include "algebra/canonical.h"
#include "base/words.h"
#include "check/checks.h"
#include "decode/generate.h"

/* The largest difference that rounding may cause: the same product, computed in
   other parts, is rounded differently. */
static const double of_rounding = sizeof(real) == 4 ? 1e-5 : 1e-13;

/* Do `count` numbers differ by at most `most`, relative to the largest? */
static bool
same(const real *a, const real *b, int count, double most)
{
    Difference off = {.largest = 1};
    for (int i = 0; i < count; i++)
        compare_entries(&off, (double)a[i], (double)b[i]);
    return relative_difference(off) <= most;
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

/* Does `other` have other matrices or another output than s, for which call_all
   returned `hash`? Matrices are compared first, since different ones may not
   even fit the call. */
static bool
differs(Subject *other, const Subject *s, uint64_t hash)
{
    return hash_matrices(&other->weights) != hash_matrices(&s->weights) ||
           call_all(other) != hash;
}

/* Settings that the plugin declares must matter, and others must not. */
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
        bool matters = differs(&other, s, hash);
        if (named && !matters)
            fail("it declares %s, but neither its matrices nor its output "
                 "depend on it: use it, or do not declare it",
                 one->name);
        if (matters && !named)
            fail("it uses %s, which .shape does not name, so nobody can set "
                 "it: add it to .shape",
                 one->name);
    }
}

enum { TOKENS = 6, MANY = 300 };

/* Calls it at a shape of realistic size: an array in the plugin's own operator
   may be too short for a row. */
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
    if (hash_matrices(&declared) != hash_matrices(&s->weights))
        bug("weights declares different matrices in block %d than in the "
            "first: only their initial values may depend on a->layer",
            s->attention.layer + 1);
    if (s->attention.layer)
        return;
    uint64_t hash = call_all(s);
    if (s->shape)
        return;
    s->found->hash = hash;
    vary_settings(s, hash);
    call_large(s);
    int parameters = 0;
    for (int i = 0; i < s->weights.count; i++)
        parameters += entries(s, i);
    static const char *const kinds[] = {[ANY_CALL] = "self-, cross- and causal",
                                        [SELF_ONLY] = "self- and causal",
                                        [CAUSAL_ONLY] = "causal"};
    passed(s,
           "%d matrices, %d parameters; all numbers are finite in %s "
           "attention, with one token, many, and tokens 30 times as large",
           s->weights.count, parameters, kinds[s->plugin.variant->calls]);
}

/* After calls at another shape, two calls on the same numbers must give the
   same bits. They must also be the bits that check_shapes found in its own
   process, without the other shape. */
void
check_repeats(Subject *s)
{
    Subject other = subject_at(*s, s->shape == 0);
    if (s->attention.layer)
        return;
    call_all(&other);
    uint64_t alone = s->shape ? call_all(s) : s->found->hash;
    if (call_all(s) != alone || call_all(s) != alone)
        bug("the same call gives different numbers a second time, or after a "
            "call at another shape: does it keep something between calls, such "
            "as a table in a static variable, or draw from rand()?");
    passed(s, "the same call twice gives the same bits");
}

/* Changes a token of the keys for good, and returns a bit for each token whose
   output changes. */
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
        if (!same(is + t * d, was + t * d, d, 0))
            found |= 1u << t;
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
        if (!same(is, was, first * SYMBOLS, 0))
            fail("with %d blocks and %d tokens, the tokens from %d on change "
                 "an earlier output: is the mask of `a` applied everywhere?",
                 s->config.layers, MANY, first + 1);
    }
}

/* Under a causal mask, no token may change an earlier output. */
static void
change_masked(Subject *s)
{
    Tokens in = tokens_of(
        s, (Way){.sequences = 1, .queries = TOKENS, .causal = true, .size = 1});
    for (int token = TOKENS - 1; token >= 0; token--) {
        int first = ffs((int)moved(&in, token)); /* counted from 1; 0: none */
        if (first && first <= token)
            fail(
                "token %d changes the output of the earlier token %d: does "
                "forward ignore the mask of `a` (attend, softmax and mask_zero "
                "apply it), or pass something of a token to the one before?",
                token + 1, first);
    }
}

/* Without a mask, some token must change an earlier output if any changes a
   later one. `keys` is 0 in self-attention. */
static void
change_unmasked(Subject *s, int keys)
{
    unsigned earlier = 0, later = 0;
    Tokens in = tokens_of(
        s, (Way){.sequences = 1, .queries = TOKENS, .keys = keys, .size = 1});
    for (int token = 0; token < TOKENS; token++) {
        unsigned all = moved(&in, token);
        earlier |= all & ((1u << token) - 1); /* the bits below its own */
        later |= all >> (token + 1);          /* the bits above it */
    }
    if (later && !earlier)
        fail("without a mask (a->causal is 0), no token changes the output of "
             "an earlier one either: does forward mask where `a` does not ask "
             "for it?");
}

void
check_causality(Subject *s)
{
    change_masked(s);
    if (s->plugin.variant->calls != CAUSAL_ONLY) {
        change_unmasked(s, 0);
        change_unmasked(s, TOKENS);
    }
    if (s->attention.layer == s->attention.layers - 1)
        change_ends(s);
    passed(s, "no token changes an earlier output, except without a mask");
}

/* Calls forward for only some of the tokens, the rows of x from `from` on: do
   they get the same outputs as in the call for all tokens? */
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
    return same(computed(&some, false), whole + from * d, some.x_size,
                of_rounding);
}

/* Calls it with some of the tokens as x, or with all of them, and always all of
   them as y. This is not compared with self-attention, which a variant may
   treat differently (Flamingo has gates in cross-attention only). */
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
    Way some = {
        .sequences = 1, .queries = TOKENS - 2, .keys = TOKENS, .size = 1};
    memcpy(all.y, all.x, (size_t)all.x_size * sizeof(real));
    if (!same_apart(&all, some, 0, all.x))
        fail("with all %d tokens as y, the outputs of the first %d change if x "
             "has only these: make keys and values from y, and use no other "
             "rows of x",
             TOKENS, some.queries);
    passed(s, "queries come from x, keys and values from y");
}

/* Each of two sequences must get the same output in a separate call. */
void
check_batches(Subject *s)
{
    for (int way = 0; way < 3; way++)
        for (int k = 0; k < 2; k++) {
            Tokens all = tokens_of(s, ways[way]);
            Way one = all.way;
            int keys = one.keys * s->attention.d_model; /* entries */
            one.sequences = 1;
            if (!same_apart(&all, one, k * one.queries,
                            keys ? all.y + k * keys : NULL))
                fail("sequence %d gets a different output in a batch of two "
                     "than on its own: does a sum run over the rows of all "
                     "sequences?",
                     k + 1);
        }
    passed(s, "a batch of two sequences gives what each gives alone");
}

/* Decodes a sequence with a model of all blocks: three tokens first, then one
   at a time, with the cache for those before. */
void
check_decoding(Subject *s)
{
    enum { FIRST = 3 };
    if (s->attention.layer)
        return;
    Stack k = stack_of(s, MANY);
    Model *m = k.model;
    const real *all = model_forward(m, tape_new(0), &k.batch)->value;
    Decoder *d = decoder_new(m, MANY);
    for (int read = 0; read < MANY;) {
        int n = read == 0 ? FIRST : 1;
        const real *last = decoder_read(d, k.batch.ids + read, n);
        read += n;
        if (!same(last, all + (read - 1) * SYMBOLS, SYMBOLS, of_rounding))
            fail("token %d changes when decoded one token at a time: %s", read,
                 advice(s,
                        "pass anything kept from earlier tokens, except keys "
                        "and values, through cached(); query and key of a Bias "
                        "are positions already, and rotate adds a->position "
                        "itself; and no token may see a later one",
                        "earlier rows of a matrix, as shift needs them, are "
                        "only kept if it is cached: write shift(cached(y "
                        "W_i^V), 1)"));
    }
    passed(s,
           "decoding one token at a time gives the outputs of one call for "
           "all, keeping %d numbers per token",
           cache_entries(d->cache, m->places - 1));
}
