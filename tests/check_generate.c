/* check_generate.c - decoding with a cache: the same logits as forward over the
   whole sequence, from as many numbers as `count` says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/seccomp.h>

#include "heart/fail.h"
#include "base/words.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "decode/generate.h"
#include "algebra/cost.h"
#include "suites.h"

enum { TOKENS = 85, SYMBOLS = 11, SOURCE = 9 };

/* An untrained model of a variant; its constants, as gains, are random too. */
static Model *
model_of(const char *variant, const char *more, Sizes sizes)
{
    Plugin p = plugin_open(variant);
    Config c = config_start();
    c.variant = interned(variant);
    config_apply(&c, "mask=causal layers=3 d-model=12 heads=2 mlp=2 norm=pre "
                     "task=induction");
    config_apply(&c, more);
    config_resolve(&c, variant_uses(p.variant));
    Model *m = model_new(&c, sizes, p.variant);
    Random r = random_stream(5, variant);
    for (size_t i = 0; i < m->parameters; i++)
        m->values[i] += (real)(0.2 * random_normal(&r));
    return m;
}

/* Logits of a whole sequence, to be freed. */
static real *
forward_logits(Model *m, const Batch *b)
{
    Tape *t = tape_new(COMPUTE);
    const Node *logits = model_forward(m, t, b);
    real *copy = allocate(size_of(logits), sizeof *copy);
    memcpy(copy, logits->value, size_of(logits) * sizeof *copy);
    tape_free(t);
    return copy;
}

static void
fill(Batch *b)
{
    Random r = random_stream(7, "tokens");
    for (int i = 0; i < b->rows; i++)
        b->ids[i] = random_below(&r, SYMBOLS);
    for (int i = 0; i < b->source_rows; i++)
        b->source[i] = random_below(&r, SYMBOLS);
}

/* The largest difference of logits from those wanted, of a decoder that is
   given 7 tokens at first and in the middle, and the others one by one. */
static double
difference(Decoder *d, const Batch *b, const real *wanted, int classes)
{
    double most = 0;
    for (int i = 0, n; i < TOKENS; i += n) {
        n = i % 60 ? 1 : 7;
        const real *last = decoder_read(d, b->ids + i, n);
        const real *l = last - (n - 1) * classes;
        for (int k = 0; k < n * classes; k++)
            most = fmax(most, fabs((double)(l[k] - wanted[i * classes + k])));
    }
    return most;
}

/* Decodes a sequence: the logits must be those of forward. What is kept of each
   token must be what was counted for all places, except that only the tokens in
   its window are counted for `window`. */
static void
check_decoding(const char *variant, const char *more, Sizes sizes)
{
    Model *m = model_of(variant, more, sizes);
    Batch b = batch_new(sizes, 1);
    fill(&b);
    real *wanted = forward_logits(m, &b);
    Decoder *d = decoder_new(m, TOKENS);
    for (int i = 0; i < b.source_rows; i++)
        d->batch.source[i] = b.source[i];
    double off = difference(d, &b, wanted, SYMBOLS);
    ck_assert_msg(off == 0, "%s, %s: %g", variant, more, off);
    const double share = strcmp(variant, "window") ? 1 : 4. / TOKENS;
    double flops, counted, kept = 0;
    for (int p = 0; p < m->places; p++) {
        int rows = d->cache->place[p].held;
        if (m->place[p].attention.place == ENCODER)
            continue;
        kept += cache_entries(d->cache, p);
        ck_assert_msg(
            rows == (m->place[p].attention.place == CROSS ? SOURCE : TOKENS),
            "%s: %d", variant, rows);
    }
    model_cost(m, &flops, &counted);
    ck_assert_msg(counted == share * kept, "%s: %g, %g", variant, counted,
                  kept);
    decoder_free(d);
    batch_free(&b);
    free(wanted);
    model_free(m);
}

static const char *const positions[] = {"none", "learned", "rope", "alibi"};

/* Every variant, whatever tells it positions, and in cross-attention. Sums have
   the same terms in the same order: the bits are the same. */
TESTS(equals_forward, sizeof positions / sizeof *positions)
{
    Sizes one = {.tokens = TOKENS,
                 .each = 1,
                 .vocabulary = SYMBOLS,
                 .classes = SYMBOLS},
          two = one;
    two.source = SOURCE;
    Values names = plugin_list();
    ck_assert_int_gt(names.count, 30);
    for (int v = 0; v < names.count; v++) {
        char more[80];
        snprintf(more, sizeof more, "positions=%s norm=%s", positions[_i],
                 _i % 2 ? "rms" : "pre");
        check_decoding(names.text[v], more, one);
        strcat(more, " encoder=2 cross=after");
        if (strcmp(names.text[v], "window")) /* a query has no key near it */
            check_decoding(names.text[v], more, two);
    }
}

/* A text that goes on beyond the memory of its decoder: from there on the last
   half is read again, as a text of its own. */
TEST(goes_on_with_the_last_half)
{
    enum { KNOWN = 9 };
    Sizes sizes = {
        .tokens = KNOWN, .each = 1, .vocabulary = SYMBOLS, .classes = SYMBOLS};
    Model *m = model_of("standard", "positions=learned", sizes);
    Decoder *d = decoder_new(m, KNOWN);
    int ids[4 * KNOWN], first = 0;
    Random r = random_stream(7, "tokens");
    for (int i = 0; i < 4 * KNOWN; i++)
        ids[i] = random_below(&r, SYMBOLS);
    for (int n = 3; n <= 4 * KNOWN; n += 1 + (n == 20) * 12) {
        const real *found = decoder_continue(d, ids, n);
        if (n - first > KNOWN)
            first = n - 5;
        Decoder *own = decoder_new(m, KNOWN);
        const real *wanted = decoder_read(own, ids + first, n - first);
        for (int k = 0; k < SYMBOLS; k++)
            ck_assert_msg(found[k] == wanted[k], "after %d", n);
        decoder_free(own);
    }
    decoder_free(d);
    model_free(m);
}

/* Once one is read, a token asks for no memory and calls no system: the kernel
   ends, in its strict mode, a process that makes a call other than read, write
   and exit. */
TEST(a_token_allocates_nothing_and_calls_nobody)
{
    Sizes sizes = {
        .tokens = TOKENS, .each = 1, .vocabulary = SYMBOLS, .classes = SYMBOLS};
    Values names = plugin_list();
    for (int v = 0; v < names.count; v++) {
        Model *m = model_of(names.text[v], "positions=learned", sizes);
        Decoder *d = decoder_new(m, TOKENS);
        Random r = random_stream(3, "choices");
        int status, id = 1;
        decoder_read(d, &id, 1); /* a variant may look up its settings */
        cache_clear(d->cache);
        int before = allocations;
        pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
            for (int i = 0; i < TOKENS; i++)
                id = sample(decoder_read(d, &id, 1), SYMBOLS, (Sampling){1, 3},
                            &r);
            cache_clear(d->cache); /* and once more from the beginning */
            decoder_read(d, &id, 1);
            syscall(SYS_exit, allocations != before);
        }
        waitpid(child, &status, 0);
        ck_assert_msg(WIFEXITED(status), "%s: a system call", names.text[v]);
        ck_assert_msg(WEXITSTATUS(status) == 0, "%s: an allocation",
                      names.text[v]);
        decoder_free(d);
        model_free(m);
    }
}

enum { DRAWS = 40000, LETTERS = 5 };

/* How often each is chosen, of DRAWS. */
static void
count_choices(const real *logits, Sampling how, int counts[LETTERS])
{
    Random r = random_stream(11, "choices");
    memset(counts, 0, LETTERS * sizeof *counts);
    for (int i = 0; i < DRAWS; i++)
        counts[sample(logits, LETTERS, how, &r)]++;
}

/* softmax(logits / temperature), of the top_k largest: as often as it says,
   within 4.5 standard deviations. */
TESTS(choices_have_their_chances, 7)
{
    static const Sampling hows[] = {{1, 0}, {0.5, 0}, {3, 0}, {0.7, 0},
                                    {1, 3}, {2, 1},   {1, 9}};
    const real logits[LETTERS] = {-1, 2, (real)0.5, (real)1.5, 0};
    Sampling how = hows[_i];
    double sum = 0, chance[LETTERS];
    int counts[LETTERS];
    for (int i = 0; i < LETTERS; i++) {
        int larger = 0;
        for (int k = 0; k < LETTERS; k++)
            larger += logits[k] > logits[i];
        chance[i] = exp((double)logits[i] / how.temperature);
        chance[i] *= !how.top_k || larger < how.top_k;
        sum += chance[i];
    }
    count_choices(logits, how, counts);
    for (int i = 0; i < LETTERS; i++) {
        double p = chance[i] / sum, far = fabs(counts[i] - DRAWS * p);
        ck_assert_msg(far <= 4.5 * sqrt(DRAWS * p * (1 - p)),
                      "%d: %d of %d, and the chance is %g", i, counts[i], DRAWS,
                      p);
    }
}

/* The first of the largest without temperature; and large or few logits. */
TEST(choices_at_the_edges)
{
    const real ties[LETTERS] = {1, 3, 3, -2, 3};
    const real huge[LETTERS] = {0, (real)3e38, 0, (real)-3e38, 0};
    const real none[LETTERS] = {-INFINITY, 0, -INFINITY, 0, -INFINITY};
    int counts[LETTERS];
    Random r = random_stream(1, "choices"), untouched = r;
    ck_assert_int_eq(sample(ties, LETTERS, (Sampling){0}, &r), 1);
    ck_assert(!memcmp(&r, &untouched, sizeof r));
    ck_assert_int_eq(sample(ties, 1, (Sampling){1, 0}, &r), 0);
    count_choices(huge, (Sampling){1000, 0}, counts);
    ck_assert_int_eq(counts[1], DRAWS);
    count_choices(ties, (Sampling){1e-300, 0}, counts);
    ck_assert_int_eq(counts[1] + counts[2] + counts[4], DRAWS);
    count_choices(none, (Sampling){1, 0}, counts);
    ck_assert_int_eq(counts[1] + counts[3], DRAWS);
    ck_assert(abs(counts[1] - DRAWS / 2) < 450);
    count_choices(ties, (Sampling){1, 2}, counts); /* ties stay in */
    ck_assert_int_eq(counts[1] + counts[2] + counts[4], DRAWS);
    ck_assert_int_gt(counts[4], 0);
}
