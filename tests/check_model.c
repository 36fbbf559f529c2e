/* check_model.c - the model around a variant, and its conversions: the
   identities of trained models, in float and in double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/canonical.h"
#include "algebra/capture.h"
#include "algebra/convert.h"
#include "algebra/cost.h"
#include "algebra/fold.h"
#include "base/words.h"
#include "heart/fail.h"
#include "heart/embedding_and_loss.h"
#include "heart/tape.h"
#include "suites.h"
#include "training/rope_and_alibi.h"

/* A trained model of a task, at settings "a=b c=d". */
static Model *
trained(const char *variant, const char *task, const char *more, Dataset *s)
{
    Plugin p = plugin_open(variant);
    Config c = config_start();
    c.task = interned(task);
    c.variant = interned(variant);
    c = task_start(task);
    config_apply(&c, "test=64 validate=1 log-every=1000");
    config_apply(&c, more);
    config_resolve(&c, p.variant->shape);
    *s = dataset_open(&c);
    Model *m = model_new(&c, s->sizes, p.variant);
    Result r = train(m, s, NULL, NULL);
    free(r.rows);
    return m;
}

/* What becomes of it as another variant, at `more` shape options. */
static Conversion
into(Model *from, const Dataset *s, const char *variant, const char *more)
{
    Conversion v;
    Plugin p = plugin_open(variant);
    Config shape = from->config;
    shape.variant = interned(variant);
    config_apply(&shape, more);
    shape.heads = shape.heads ? shape.heads : 1;
    config_resolve_for(&shape, &p);
    Model *to = model_new(&shape, from->sizes, p.variant);
    if (convert_model(from, to, &v))
        measure_conversion(from, to, s, &v);
    model_free(to);
    return v;
}

/* The recipe `folds`: the same function, in other matrices. */
static const struct {
    const char *from, *to, *settings, *shape;
} identities[] = {
    {"two-step", "standard", "", ""},
    {"standard", "full-rank", "", ""},
    {"symmetric", "standard", "", ""},
    {"scale-outside", "standard", "", ""},
    {"standard", "scale-outside", "", ""},
    {"unscaled", "standard", "", ""},
    {"fused", "per-head", "", ""},
    {"shared-qk", "standard", "", ""},
    {"mla", "mla-absorbed", "", ""},
    {"gqa", "standard", "", ""},
    {"mqa", "gqa", "", ""},
    {"mqa", "mla", "", "latent=16"},
    {"standard", "mla", "", "latent=32"},
    {"full-rank", "standard", "", "d-k=32"},
    {"identity", "standard", "", ""},
    {"standard", "standard", "residual=no", "embed=onehot"},
    {"two-step", "full-rank", "residual=no", "embed=onehot"},
};
enum { IDENTITIES = sizeof identities / sizeof *identities };

TESTS(exact_on_trained_models, IDENTITIES)
{
    Dataset s;
    char settings[64];
    snprintf(settings, sizeof settings, "steps=30 batch=8 %s",
             identities[_i].settings);
    Model *m = trained(identities[_i].from, "recall", settings, &s);
    Conversion v = into(m, &s, identities[_i].to, identities[_i].shape);
    ck_assert_msg(!*v.why && v.logits <= EXACT_UP_TO && v.before == v.after &&
                      v.before > 0.05,
                  "%s -> %s: %s %g, accuracy %g -> %g", identities[_i].from,
                  identities[_i].to, v.why, v.logits, v.before, v.after);
    model_free(m);
}

/* With a tanh between the two maps the fold fails: the maps multiplied as if it
   were not there are another function, and a worse one. */
TEST(a_tanh_does_not_fold)
{
    Dataset s;
    Model *m = trained("two-step-tanh", "recall", "steps=300", &s);
    Conversion refused = into(m, &s, "standard", "");
    ck_assert(strstr(refused.why, "not linear"));
    Plugin p = plugin_open("two-step");
    Conversion v = {0};
    Config c = m->config;
    Model *without = model_new(&c, m->sizes, p.variant);
    memcpy(without->values, m->values, m->parameters * sizeof(real));
    measure_conversion(m, without, &s, &v);
    ck_assert_msg(v.before > 0.98 && v.after < v.before - 0.005 &&
                      v.logits > 0.01,
                  "%g -> %g, logits %g", v.before, v.after, v.logits);
    model_free(without);
    model_free(m);
}

/* What a rank cannot hold is lost, and said. */
TEST(limited_by_rank_and_by_sharing)
{
    Dataset s;
    Model *m = trained("full-rank", "recall", "steps=100", &s);
    Conversion v = into(m, &s, "standard", "d-k=2");
    ck_assert(!*v.why && v.logits > 0.01 && v.form.m.rank_found == 2 &&
              v.form.m.rank_wanted > 20 && v.form.m.lost > 0.1);
    ck_assert(v.form.n.lost < 1e-5);
    v = into(m, &s, "mqa", "");
    ck_assert(!*v.why && v.form.n.lost > 0.1 && v.after < v.before);
    model_free(m);
}

TEST(folding_the_embedding_is_refused)
{
    static const char *const why[][2] = {
        {"", "residual"},
        {"residual=no norm=pre", "LayerNorm"},
        {"residual=no layers=2", "a single attention"},
        {"residual=no mlp=1", "MLP"},
        {"residual=no embed=onehot", "already"},
    };
    for (size_t i = 0; i < sizeof why / sizeof *why; i++) {
        Dataset s;
        char settings[64];
        snprintf(settings, sizeof settings, "steps=1 %s", why[i][0]);
        Model *m = trained("standard", "reverse", settings, &s);
        const char *refusal = fold_refusal(m);
        ck_assert_msg(refusal && strstr(refusal, why[i][1]), "%s: %s",
                      why[i][0], refusal ? refusal : "folded");
        model_free(m);
    }
}

/* The loss on a batch as a function of one number of the model. */
static double
loss_with(Model *m, Tape *t, const Batch *b, real *number, double value)
{
    double old = (double)*number;
    *number = (real)value;
    tape_reset(t);
    Node *logits = model_forward(m, t, b);
    double loss = (double)cross_entropy(logits, b->targets,
                                        counted_rows(b->targets, b->rows))
                      ->value[0];
    *number = (real)old;
    return loss;
}

/* Gradients through the whole: every weight of an encoder-decoder, some entries
   of each, against differences. */
static const char *const wholes[][2] = {
    {"translate", "norm=pre mlp=2 length=4 layers=2 encoder=2 d-model=8"},
    {"translate", "length=3 cross=only d-model=8"},
    {"translate", "embed=onehot length=3 symbols=4"},
    {"cross-recall", "length=4 queries=2 symbols=6 values=3 d-model=8"},
    {"recall", "embed=onehot length=2 symbols=4 values=3 mlp=1 norm=pre"},
    {"induction", "length=10 mlp=1 norm=pre d-model=8"},
    {"induction", "length=10 positions=rope d-model=8"},
    {"induction", "length=10 positions=alibi d-model=8"},
    {"translate", "positions=rope length=3 encoder=1 d-model=8 heads=2"},
    {"translate", "positions=alibi length=3 encoder=1 d-model=8 heads=2"},
};

TESTS(gradients_of_the_whole, IN_DOUBLE *(int)(sizeof wholes / sizeof *wholes))
{
    Dataset s;
    char settings[128];
    snprintf(settings, sizeof settings, "steps=1 batch=3 %s", wholes[_i][1]);
    Model *m = trained("standard", wholes[_i][0], settings, &s);
    Batch b = batch_new(s.sizes, 3);
    Random r = dataset_stream(&s, TRAINING);
    dataset_draw(&s, TRAINING, &r, 0, &b);
    Tape *t = tape_new(COMPUTE);
    Node *logits = model_forward(m, t, &b);
    backward(cross_entropy(logits, b.targets, counted_rows(b.targets, b.rows)));
    double *found = allocate(m->parameters, sizeof *found);
    for (size_t i = 0; i < m->parameters; i++)
        found[i] = (double)m->gradients[i];
    for (size_t i = 0; i < m->parameters; i += 17) {
        const double h = 1e-4;
        real *at = &m->values[i];
        double x = (double)*at;
        double slope = (8 * (loss_with(m, t, &b, at, x + h) -
                             loss_with(m, t, &b, at, x - h)) -
                        (loss_with(m, t, &b, at, x + 2 * h) -
                         loss_with(m, t, &b, at, x - 2 * h))) /
                       (12 * h);
        ck_assert_msg(fabs(slope - found[i]) <= 1e-6 * fabs(slope) + 1e-10,
                      "%s %s: number %zu: %g, slope %g", wholes[_i][0],
                      wholes[_i][1], i, found[i], slope);
    }
    free(found);
    tape_free(t);
    batch_free(&b);
    model_free(m);
}

/* Who may see whom in an encoder-decoder: the encoder all of the source, the
   decoder all of the encoder's, and of its own tokens those before. */
TEST(who_sees_whom)
{
    Dataset s;
    Model *m = trained("standard", "translate", "steps=5", &s);
    Batch b = batch_new(s.sizes, 1);
    Random r = dataset_stream(&s, TEST);
    dataset_draw(&s, TEST, &r, 0, &b);
    Tape *t = tape_new(COMPUTE);
    int n = s.sizes.tokens, classes = s.sizes.classes;
    real *before = allocate((size_t)(n * classes), sizeof *before);
    memcpy(before, model_forward(m, t, &b)->value,
           (size_t)(n * classes) * sizeof *before);
    for (int moved = 0; moved < n; moved++)
        for (int source = 0; source < 2; source++) {
            int *id = source ? &b.source[moved] : &b.ids[moved];
            int old = *id;
            *id = (old + 1) % classes;
            tape_reset(t);
            Node *logits = model_forward(m, t, &b);
            for (int i = 0; i < n; i++) {
                bool same =
                    !memcmp(before + i * classes, logits->value + i * classes,
                            (size_t)classes * sizeof *before);
                ck_assert(same == (!source && i < moved));
            }
            *id = old;
        }
    free(before);
    tape_free(t);
    batch_free(&b);
    model_free(m);
}

/* Every softmax is captured, with the scores and the values around it; each row
   of weights sums to 1; and with its steps taken one by one, a model has the
   same logits. */
TEST(captures)
{
    static const char *const variants[] = {
        "standard",      "per-head",  "fused",         "two-step",
        "two-step-tanh", "full-rank", "wide",          "symmetric",
        "scale-outside", "unscaled",  "mla",           "mla-absorbed",
        "shared-qk",     "identity",  "mqa",           "gqa",
        "collaborative", "shared-kv", "shared-qkv",    "no-wq",
        "no-wv-wo",      "gated",     "symmetric-data"};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        Dataset s;
        Model *m = trained(variants[i], "reverse", "steps=3 test=32", &s);
        Batch b = batch_new(s.sizes, 8);
        Random r = dataset_stream(&s, TEST);
        dataset_draw(&s, TEST, &r, 0, &b);
        Pass *p = pass_captured(m, &b);
        Tape *t = tape_new(COMPUTE);
        Node *logits = model_forward(m, t, &b);
        for (size_t k = 0; k < size_of(logits); k++)
            ck_assert(fabs((double)(logits->value[k] - p->logits->value[k])) <
                      1e-4);
        tape_free(t);
        int heads = p->capture.place[0].heads;
        ck_assert_int_eq(heads, strcmp(variants[i], "identity") ? 4 : 1);
        for (int h = 0; h < heads; h++) {
            int own;
            const Call *call = capture_head(&p->capture, 0, h, &own);
            Matrix weights = call_weights(call, 3, own);
            Matrix scores = call_scores(call, 3, own);
            ck_assert(weights.rows == 16 && weights.cols == 16);
            ck_assert(isfinite(scores.at[0]) && call->q && call->sum);
            for (int row = 0; row < 16; row++) {
                double sum = 0;
                for (int k = 0; k < 16; k++) {
                    real weight = weights.at[row * weights.down + k];
                    ck_assert(weight >= 0 && call_sees(call, scores, row, k));
                    sum += (double)weight;
                }
                ck_assert(fabs(sum - 1) < 1e-5);
            }
        }
        pass_free(p);
        batch_free(&b);
        model_free(m);
    }
}

static bool recalls_itself;

static void
one_weight(Weights *w, const Attention *a)
{
    weight(w, 0, "A", a->d_model, a->d_model);
}

/* The first block's values, in all blocks (Zhou et al. 2024: value residual).
 */
static Node *
first_values(Attention *a, Node *x, Node *y, Node **w)
{
    Node *v = split(matmul(y, w[0]), 2);
    ck_assert(a->layer >= 0 && a->layer < a->layers && a->position == 0);
    remember(a, 7, v);
    Node *first = recall(a, 7, recalls_itself ? a->layer : 0);
    ck_assert_int_eq(first->heads, 2);
    ck_assert((first->value == v->value) ==
              (!v->value || a->layer == 0 || recalls_itself));
    return attend(a, split(x, 2), split(y, 2), first, 1);
}

/* What a block remembers the later ones have, whatever else the model does, and
   alone, where a later one has no form: it is no function of its tokens. */
TESTS(blocks_remember, 2)
{
    Variant v = {.abi = QKV_ABI,
                 .equation = "",
                 .shape = "",
                 .weights = one_weight,
                 .forward = first_values};
    Config c = config_start();
    recalls_itself = _i;
    c.task = interned("translate");
    c = task_start("translate");
    config_apply(&c, "layers=3 encoder=2 cross=after batch=2");
    config_resolve(&c, "");
    Dataset s = dataset_open(&c);
    Model *m = model_new(&c, s.sizes, &v);
    Batch b = batch_new(s.sizes, 2);
    Random r = dataset_stream(&s, TEST);
    dataset_draw(&s, TEST, &r, 0, &b);
    Pass *p = pass_with_gradients(m, &b);
    ck_assert((p->tape->recalled > 0) == !_i);
    ck_assert_int_eq(m->places, 8);
    double flops, cache;
    model_cost(m, &flops, &cache);
    /* Keys: three blocks' tokens, and the source, which is the same for all.
       Values: of each block, or of the first in self- and in cross-attention.
     */
    ck_assert(cache == (4 + (_i ? 6 : 2)) * c.d_model);
    for (int i = 0; i < m->places; i++) {
        Canonical form = model_form(m, i);
        ck_assert(!form.m == (!_i && m->place[i].attention.layer > 0));
        ck_assert(form.m || strstr(form.why, "earlier block"));
        canonical_free(&form);
    }
    pass_free(p);
    batch_free(&b);
    model_free(m);
}

/* Positions of two sequences are not each other's: cross-attention sees none.
 */
TESTS(cross_attention_has_no_relative_positions, 2)
{
    Config c = task_start("translate");
    Plugin p = plugin_open("standard");
    config_apply(&c, _i ? "positions=alibi" : "positions=rope");
    config_resolve(&c, p.variant->shape);
    Dataset s = dataset_open(&c);
    Model *m = model_new(&c, s.sizes, p.variant);
    const Relative *wanted = _i ? &alibi : &rope;
    int crossed = 0;
    for (int i = 0; i < m->places; i++) {
        Attention a = m->place[i].attention;
        bool cross = a.place == CROSS;
        crossed += cross;
        ck_assert_msg(a.relative == (cross ? NULL : wanted), "%s",
                      m->place[i].name);
    }
    ck_assert_int_gt(crossed, 0);
    model_free(m);
}

ABORTS(nothing_to_recall, 1)
{
    expect_a_message();
    Attention a = {.layer = 1};
    recall(&a, 0, 0);
}
