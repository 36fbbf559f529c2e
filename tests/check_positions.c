/* check_positions.c - positions in the scores: rope and alibi. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/convert.h"
#include "base/words.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "operators/scores_and_softmax.h"
#include "suites.h"
#include "training/rope_and_alibi.h"

enum { TOKENS = 5, WIDE = 8, HEADS = 2 };

/* The scores of query i and key j of head h of one attention whose tokens are
   all the same, the first of x at `position`. */
typedef struct Scores {
    double of[HEADS][TOKENS][TOKENS];
} Scores;

static Scores
scores_of(const Relative *relative, int position, bool in_steps)
{
    Scores found;
    Capture capture = {.only = EVERY_HEAD};
    Attention a = {.heads = HEADS, .position = position, .relative = relative};
    real value[2][TOKENS * WIDE];
    Random r = random_stream(3, "positions");
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TOKENS * WIDE; i++)
            value[k][i] =
                i < WIDE ? (real)random_normal(&r) : value[k][i - WIDE];
    Tape *t = tape_new(COMPUTE);
    t->attend = attend_in_steps;
    Node *q = split(leaf(t, TOKENS, WIDE, UNBATCHED, value[0], NULL), HEADS);
    Node *k = split(leaf(t, TOKENS, WIDE, UNBATCHED, value[1], NULL), HEADS);
    a.scored = 0;
    capture_start(&capture, t);
    Node *c = in_steps ? scores(&a, q, k, 0.5) : attend(&a, q, k, k, 0.5);
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < TOKENS; i++)
            for (int j = 0; j < TOKENS; j++) {
                Matrix s = in_steps ? head_of(c, c->value, 0, h)
                                    : call_scores(&capture.call[0], 0, h);
                found.of[h][i][j] = (double)s.at[i * s.down + j];
            }
    tape_free(t);
    return found;
}

/* Scores depend on the distance of query and key only, and do depend on it;
   attend and scores agree; the decoding position moves the queries. */
TEST(scores_know_the_distance_only)
{
    double near = sizeof(real) == 4 ? 1e-5 : 1e-14;
    const Relative *relative = &rope;
    for (int r = 0; r < 2; r++, relative = &alibi) {
        Scores s = scores_of(relative, 0, false);
        Scores steps = scores_of(relative, 0, true);
        Scores later = scores_of(relative, 2, false);
        for (int h = 0; h < HEADS; h++)
            for (int i = 0; i < TOKENS; i++)
                for (int j = 0; j < TOKENS; j++) {
                    double here = s.of[h][i][j];
                    ck_assert(fabs(here - steps.of[h][i][j]) < near);
                    ck_assert(!(i && j) ||
                              fabs(here - s.of[h][i - 1][j - 1]) < near);
                    ck_assert(!j || fabs(here - s.of[h][i][j - 1]) > 1e-3);
                    ck_assert(i + 2 >= TOKENS ||
                              fabs(later.of[h][i][j] - s.of[h][i + 2][j]) <
                                  near);
                }
    }
    Scores none = scores_of(NULL, 2, false);
    ck_assert(none.of[0][0][1] == none.of[0][3][2]);
}

/* ALiBi's bias is -2^(-8 i / h) |i - j|; RoPE's rotation of a pair by hand. */
TEST(what_is_added_and_what_is_turned)
{
    Scores none = scores_of(NULL, 0, true);
    Scores biased = scores_of(&alibi, 0, true);
    double near = sizeof(real) == 4 ? 1e-5 : 1e-13;
    for (int h = 0; h < HEADS; h++)
        ck_assert(fabs(none.of[h][0][3] - biased.of[h][0][3] -
                       3 * pow(2, -8. * (h + 1) / HEADS)) < near);
    Scores turned = scores_of(&rope, 0, true);
    Random r = random_stream(3, "positions"); /* as scores_of draws q and k */
    double x[2 * WIDE], sum = 0;
    for (int i = 0; i < 2 * WIDE; i++)
        x[i] = (double)(real)random_normal(&r);
    for (int p = 0; p < 2; p++) {
        double angle = -3 * pow(10000, -p / 2.), c = cos(angle), s = sin(angle);
        const double *a = x + 2 * p, *b = a + WIDE;
        sum += (c * a[0] - s * a[1]) * b[0] + (s * a[0] + c * a[1]) * b[1];
    }
    ck_assert(fabs(turned.of[0][0][3] - 0.5 * sum) < near);
}

/* A variant that calls attend head by head has the slopes of one that calls it
   once, and a second call of all heads begins anew. */
TEST(slopes_count_over_calls)
{
    for (int h = 0; h < 8; h++) {
        Attention later = {.heads = 4, .scored = h};
        ck_assert(fabs(alibi_bias(&later, 0, 7, 2) + 5 * pow(4, -1 - h % 4)) <
                  1e-14);
    }
}

/* An untrained model of recall at settings "a=b c=d". */
static Model *
model_at(const char *variant, const char *settings, Dataset *s)
{
    Plugin p = plugin_open(variant);
    Config c = config_start();
    c.task = interned("recall");
    c.variant = interned(variant);
    c = task_start("recall");
    config_apply(&c, "test=32 batch=16");
    config_apply(&c, settings);
    config_resolve(&c, p.variant->shape);
    *s = dataset_open(&c);
    return model_new(&c, s->sizes, p.variant);
}

static Conversion
into(const char *from, const char *to, const char *settings, const char *shape)
{
    Dataset s;
    Conversion v;
    Model *m = model_at(from, settings, &s);
    Plugin p = plugin_open(to);
    Config c = m->config;
    c.variant = interned(to);
    config_apply(&c, shape);
    config_resolve_for(&c, &p);
    Model *made = model_new(&c, m->sizes, p.variant);
    if (convert_model(m, made, &v))
        measure_conversion(m, made, &s, &v);
    model_free(made);
    model_free(m);
    return v;
}

/* A bias of the scores leaves M as it is. */
static const struct {
    const char *from, *to, *settings, *shape;
} exact[] = {
    {"standard", "two-step", "positions=alibi", ""},
    {"per-head", "full-rank", "positions=alibi", ""},
    {"full-rank", "full-rank", "positions=alibi", ""},
    {"mqa", "mla", "positions=alibi", "latent=16"},
    {"standard", "standard", "positions=alibi residual=no", "embed=onehot"},
};
enum { EXACT = sizeof exact / sizeof *exact };

TESTS(exact_conversions, EXACT)
{
    Conversion v =
        into(exact[_i].from, exact[_i].to, exact[_i].settings, exact[_i].shape);
    ck_assert_msg(!*v.why && v.logits < (sizeof(real) == 4 ? 1e-4 : 1e-13),
                  "%s -> %s %s: %s %g", exact[_i].from, exact[_i].to,
                  exact[_i].settings, v.why, v.logits);
}

TEST(what_is_refused)
{
    static const char *const all[] = {"standard", "full-rank", "mla-absorbed"};
    for (int i = 0; i < 3; i++) {
        Conversion v = into("standard", all[i], "positions=rope", "");
        ck_assert(strstr(v.why, "no single one can be fitted"));
    }
    Conversion v = into("standard", "standard", "positions=alibi heads=2",
                        "heads=4 d-k=16 d-v=16");
    ck_assert(strstr(v.why, "another bias"));
}

/* What a fixed distance solves, rope learns, and a model without positions does
   not; recall needs none, and alibi does not stand in its way. */
TEST(training)
{
    static const struct {
        const char *task, *settings;
        double least, most;
    } runs[] = {{"induction", "positions=rope mask=none", 0.95, 1},
                {"induction", "positions=none mask=none", 0, 0.5},
                {"recall", "positions=alibi steps=200", 0.95, 1},
                {"recall", "positions=rope steps=200", 0.95, 1}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        Config c = config_start();
        Plugin p = plugin_open("standard");
        c.task = interned(runs[i].task);
        c = task_start(runs[i].task);
        config_apply(&c, "test=64 validate=1 log-every=1000");
        config_apply(&c, runs[i].settings);
        config_resolve(&c, p.variant->shape);
        Dataset s = dataset_open(&c);
        Model *m = model_new(&c, s.sizes, p.variant);
        Result r = train(m, &s, NULL, NULL);
        ck_assert_msg(
            r.test_accuracy >= runs[i].least && r.test_accuracy <= runs[i].most,
            "%s %s: %g", runs[i].task, runs[i].settings, r.test_accuracy);
        free(r.rows);
        model_free(m);
    }
}
