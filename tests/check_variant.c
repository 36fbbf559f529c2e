/* check_variant.c - every variant there is: gradients, counts, agreement. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/capture.h"
#include "algebra/cost.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "gradient.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "heart/train.h"
#include "suites.h"
#include "training/build_model.h"
#include "training/rope_and_alibi.h"

/* Every variant: how many parameters it has, and how many numbers of a token
   its decoder keeps, in closed form. */
enum { D = 8, H = 4, G = 2, K = 3, V = 5, R = 7 };
enum { MAP_Q = D * H * K, VALUES = 2 * D * H * V };
enum { STANDARD = 2 * MAP_Q + VALUES };
static const struct {
    const char *name;
    double parameters, cache;
} shipped[] = {
    {"standard", STANDARD, H *(K + V)},
    {"per-head", STANDARD, H *(K + V)},
    {"fused", STANDARD, H *(K + V)},
    {"two-step", 3 * D *D + STANDARD, H *(K + V)},
    {"two-step-tanh", 3 * D *D + STANDARD, H *(K + V)},
    {"two-step-narrow", 2 * D *K + D *V + H *(2 * K * K + V * V) + D *H *V,
     H *(K + V)},
    {"full-rank", H *D *D + VALUES, D + H *V},
    {"symmetric", STANDARD, H *(K + V)},
    {"wide", 2 * H *D *D + VALUES, H *(D + V)},
    {"shared-qk", MAP_Q + VALUES, H *(K + V)},
    {"identity", 0, D},
    {"mqa", MAP_Q + D *K + D *V + D *H *V, K + V},
    {"gqa", MAP_Q + D *G *K + D *G *V + D *H *V, G *(K + V)},
    {"scale-outside", STANDARD, H *(K + V)},
    {"unscaled", STANDARD, H *(K + V)},
    {"mla", MAP_Q + D *R + R *H *K + R *H *V + D *H *V, R},
    {"mla-absorbed", 2 * D *H *R + D *R, R},
    {"symmetric-data", 2 * MAP_Q + VALUES + H *D *D, H *K + H *V + H *D + D},
    {"collaborative", STANDARD + H *H *K, H *(K + V)},
    {"shared-kv", 3 * MAP_Q, H *K},
    {"shared-qkv", 2 * MAP_Q, H *K},
    {"no-wq", D *D + VALUES, D + H *V},
    {"no-wv-wo", 2 * MAP_Q, H *K + D},
    {"linear", STANDARD, H *(K + V)},
    {"gated", STANDARD + D *H *V, H *(K + V)},
    {"qk-norm", STANDARD + 2 * K, H *(K + V)},
    {"gqa-qk-norm", MAP_Q + D *G *(K + V) + D *H *V + 2 * K, G *(K + V)},
    {"biased", STANDARD + H *(2 * K + V) + D, H *(K + V)},
    {"talking-heads", STANDARD + 2 * H *H, H *(K + V)},
    {"differential", 4 * MAP_Q + VALUES + 4 * K + V, H *(2 * K + V)},
    {"mfa", 3 * D *R + H *R *R + D *H *R, 2 * R},
    {"window", STANDARD, H *(K + V)},
    {"sink", STANDARD + H, H *(K + V)},
    {"tpa", D *(10 * H + 8 * K + 2 * V) + D *H *V, 2 * (H + K) + 2 * (H + V)},
    {"mla-rope",
     D *(R + 4 + 24 + H * V) + R *H *(K + V) + R + 24 * H *(K + 4) + 24, R + 4},
    {"value-residual", STANDARD, H *(K + V)},
    {"kv-shift", STANDARD + 4 * H, H *(K + V)},
    {"nonlinear-query", 2 * D *D + D + VALUES, D + H *V},
    {"v-from-k", 2 * MAP_Q + H *K *H *V + D *H *V, H *K},
};
enum { SHIPPED = sizeof shipped / sizeof *shipped };
static const Attention widths = {SHAPE(D, H, K, V), .kv_heads = G, .latent = R};

typedef struct Graph {
    const Variant *variant;
    Attention attention;
    bool crossed; /* x and y differ */
} Graph;

static Node *
build(Node **in, void *more)
{
    Graph *g = more;
    Node *x = in[0], *y = g->crossed ? in[1] : in[0];
    return plugin_forward(g->variant, &g->attention, x, y, in + 1 + g->crossed);
}

static void
check_shape(const Variant *v, Attention a, int sequences, int tokens, int asked,
            double size)
{
    a.settings = v->settings;
    Graph g = {v, a, asked != 0};
    Leaf leaves[MOST_LEAVES] = {
        {sequences * tokens, a.d_model, sequences, size},
        {sequences * asked, a.d_model, sequences, size}};
    int count = 1 + g.crossed;
    Weights w = weights_declared(v, &a);
    for (int i = 0; i < w.count; i++)
        leaves[count++] =
            (Leaf){w.list[i].rows, w.list[i].cols, 1, 1 / sqrt(w.list[i].rows)};
    check_gradient(build, &g, leaves, count);
    free(w.list);
}

static int counted[3];

static Node *
counting_forward(Attention *a, Node *x, Node *y, Node **w)
{
    (void)y;
    (void)w;
    counted[a->layer]++;
    return x;
}

/* Before a layer comes each earlier one, once. */
TEST(earlier_layers)
{
    Variant v = {.abi = QKV_ABI, .forward = counting_forward};
    Attention a = {.d_model = 2, .heads = 1, .layer = 2};
    Tape *t = tape_new(SHAPES_ONLY);
    Node *x = leaf(t, 1, 2, UNBATCHED, (real[2]){0}, NULL);
    forward_earlier(&v, &a, x, x, NULL);
    ck_assert(counted[0] == 1 && counted[1] == 1 && counted[2] == 0);
    tape_free(t);
}

TESTS(gradients, IN_DOUBLE *SHIPPED)
{
    Plugin p = plugin_open(shipped[_i].name);
    Attention a = {SHAPE(4, 4, 2, 3), .kv_heads = 2, .latent = 3};
    check_shape(p.variant, a, 2, 3, 0, 1);
    check_shape(p.variant, a, 2, 3, 5, 1); /* cross-attention */
    a.causal = 1;
    check_shape(p.variant, a, 2, 4, 0, 1);
    check_shape(p.variant, a, 1, 1, 0, 1);  /* T = 1 */
    check_shape(p.variant, a, 1, 3, 0, 3);  /* large logits */
    a.d_model = 8, a.d_v = 2, a.latent = 4; /* rope turns pairs */
    for (int i = 0; i < 2; i++) {
        a.relative = i ? &alibi : &rope;
        check_shape(p.variant, a, 2, 3, 0, 1);
    }
    a = (Attention){SHAPE(1, 1, 1, 1), .kv_heads = 1, .latent = 1};
    check_shape(p.variant, a, 1, 3, 0, 1); /* d = 1 */
}

/* None was forgotten. */
TEST(all_are_tested)
{
    int found = 0;
    Values names = plugin_list();
    for (int i = 0; i < names.count; i++) {
        for (int k = 0; k < SHIPPED; k++)
            found += !strcmp(names.text[i], shipped[k].name);
        ck_assert_msg(found == i + 1, "%s is not in the list above",
                      names.text[i]);
    }
    ck_assert_int_eq(names.count, SHIPPED);
}

TEST(parameter_counts)
{
    Attention a = widths;
    for (int i = 0; i < SHIPPED; i++) {
        double found = 0;
        Plugin p = plugin_open(shipped[i].name);
        a.settings = p.variant->settings;
        Weights w = weights_declared(p.variant, &a);
        for (int n = 0; n < w.count; n++)
            found += w.list[n].rows * w.list[n].cols;
        ck_assert_msg(found == shipped[i].parameters, "%s: %g, not %g",
                      shipped[i].name, found, shipped[i].parameters);
        free(w.list);
    }
}

/* Vectors start as their papers have them: a gain at 1, a bias and a sink at 0
   ("off by one"), a token and the one before it at one half each, and those of
   which differential attention makes its lambda at N(0, 0.1^2). */
TEST(vectors_start_as_published)
{
    static const struct {
        const char *begin;
        double mean, deviation;
    } starts[] = {{"alpha", 0.5, 0},
                  {"beta", 0.5, 0},
                  {"b", 0, 0},
                  {"g", 1, 0},
                  {"l", 0, 0.1}};
    Attention a = {SHAPE(8, 4, 2, 2), .kv_heads = 2, .latent = 7};
    for (int i = 0; i < SHIPPED; i++) {
        Plugin p = plugin_open(shipped[i].name);
        a.settings = p.variant->settings;
        Weights w = weights_declared(p.variant, &a);
        for (int j = 0; j < w.count; j++) {
            const Weight *v = &w.list[j];
            int k = 0;
            while (k < 4 &&
                   strncmp(v->name, starts[k].begin, strlen(starts[k].begin)))
                k++;
            ck_assert_msg(v->rows > 1 || (v->mean == starts[k].mean &&
                                          v->deviation == starts[k].deviation),
                          "%s: %s starts as N(%g, %g^2)", shipped[i].name,
                          v->name, v->mean, v->deviation);
        }
        free(w.list);
    }
}

/* Costs from shapes alone: FLOPs of standard in closed form, and what each
   variant's decoder keeps of a token. */
TEST(costs)
{
    const double d = D, h = H, k = K, v = V, tokens = 11;
    Attention a = widths;
    for (int i = 0; i < SHIPPED; i++) {
        Plugin p = plugin_open(shipped[i].name);
        a.settings = p.variant->settings;
        Weights w = weights_declared(p.variant, &a);
        Cost c = cost_of(p.variant, a, 11, 0);
        bool window = !strcmp(shipped[i].name, "window"); /* of 4 tokens */
        double cache = shipped[i].cache * (window ? 4 / tokens : 1);
        ck_assert_msg(c.cache == cache, "%s: %g, not %g", shipped[i].name,
                      c.cache, cache);
        if (i < 3) {
            double maps = 2 * d * h * (2 * k + 2 * v);
            double pairs = 2 * tokens * h * (k + v);
            ck_assert(fabs(c.forward - maps - pairs) < 1e-9);
            ck_assert(fabs(c.backward - 2 * c.forward) < 1e-9);
            Cost other = cost_of(p.variant, a, 11, 22); /* twice as many */
            double asked = 2 * d * h * (k + 2 * k + v + 2 * v);
            ck_assert(i > 0 || fabs(other.forward - asked - 2 * pairs) < 1e-9);
        }
        free(w.list);
    }
}

static Config
small_config(const char *variant)
{
    Config c = config_start();
    config_apply(&c, "task=induction length=12 symbols=9 layers=2 mlp=2 "
                     "norm=pre d-model=12 heads=4 batch=4 mask=causal");
    c.variant = interned(variant);
    return c;
}

static Model *
model_of(const char *variant, Dataset *s)
{
    Config c = small_config(variant);
    Plugin p = plugin_open(variant);
    config_resolve(&c, variant_uses(p.variant));
    *s = dataset_open(&c);
    return model_new(&c, s->sizes, p.variant);
}

/* The logits of a model on the first batch of its source; to be freed. */
static real *
logits_of(Model *m, const Dataset *s, size_t *size)
{
    Batch b = batch_new(s->sizes, m->config.batch);
    Random r = dataset_stream(s, TRAINING);
    dataset_draw(s, TRAINING, &r, 0, &b);
    Tape *t = tape_new(COMPUTE);
    Node *logits = model_forward(m, t, &b);
    *size = (size_t)logits->rows * (size_t)logits->cols;
    real *copy = allocate(*size, sizeof *copy);
    memcpy(copy, logits->value, *size * sizeof *copy);
    tape_free(t);
    batch_free(&b);
    return copy;
}

/* A seed starts per-head, standard and fused as the same function: the same
   columns drawn in the same order, cut otherwise. */
TEST(three_start_alike)
{
    Dataset s;
    size_t size;
    Model *m = model_of("standard", &s);
    real *wanted = logits_of(m, &s, &size);
    model_free(m);
    for (int i = 0; i < 2; i++) {
        m = model_of(i ? "fused" : "per-head", &s);
        real *found = logits_of(m, &s, &size);
        double worst = 0;
        for (size_t k = 0; k < size; k++)
            worst = fmax(worst, fabs((double)(found[k] - wanted[k])));
        ck_assert_msg(worst < (sizeof(real) == 4 ? 1e-5 : 1e-13), "%g", worst);
        free(found);
        model_free(m);
    }
    free(wanted);
}

/* Column j of an attention's matrices seen side by side, those with d_model
   rows: where standard, per-head and fused keep the same map. */
static real *
column(Model *m, const char *block, int j, int *stride)
{
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        if (strncmp(w->name, block, strlen(block)) || strstr(w->name, ".W^O"))
            continue;
        if (j < w->cols) {
            *stride = w->cols;
            return w->value + j;
        }
        j -= w->cols;
    }
    return NULL;
}

/* Trained weights, copied from standard into the other two, give the same
   logits. */
TEST(three_agree_with_the_same_weights)
{
    Dataset s;
    size_t size;
    Model *from = model_of("standard", &s);
    from->config.steps = 30;
    Result r = train(from, &s, NULL, NULL);
    real *wanted = logits_of(from, &s, &size);
    for (int v = 0; v < 2; v++) {
        Model *to = model_of(v ? "fused" : "per-head", &s);
        for (int i = 0; i < to->count; i++) {
            Weight *w = &to->weights[i], *same = NULL;
            for (int k = 0; k < from->count; k++)
                if (!strcmp(from->weights[k].name, w->name))
                    same = &from->weights[k];
            if (same && same->rows == w->rows && same->cols == w->cols)
                memcpy(w->value, same->value,
                       (size_t)(w->rows * w->cols) * sizeof(real));
        }
        for (int block = 0; block < 2; block++) {
            char name[32];
            snprintf(name, sizeof name, "block%d.attention", block);
            for (int j = 0; j < 36; j++) {
                int a = 0, b = 0;
                real *x = column(from, name, j, &a);
                real *y = column(to, name, j, &b);
                for (int k = 0; k < 12; k++)
                    y[k * b] = x[k * a];
            }
        }
        real *found = logits_of(to, &s, &size);
        double worst = 0;
        for (size_t k = 0; k < size; k++)
            worst = fmax(worst, fabs((double)(found[k] - wanted[k])));
        ck_assert_msg(worst < (sizeof(real) == 4 ? 1e-4 : 1e-12), "%g", worst);
        free(found);
        model_free(to);
    }
    free(r.rows);
    free(wanted);
    model_free(from);
}

/* symmetric is another function at the same numbers; so is full-rank. */
TEST(others_start_otherwise)
{
    Dataset s;
    size_t size;
    Model *m = model_of("standard", &s);
    real *a = logits_of(m, &s, &size);
    model_free(m);
    m = model_of("symmetric", &s);
    real *b = logits_of(m, &s, &size);
    model_free(m);
    ck_assert(memcmp(a, b, size * sizeof *a));
    free(a);
    free(b);
}

/* Later tokens reach no earlier logit through any variant. */
TESTS(causality, SHIPPED)
{
    Dataset s;
    Model *m = model_of(shipped[_i].name, &s);
    Batch b = batch_new(s.sizes, 2);
    Random r = dataset_stream(&s, TRAINING);
    dataset_draw(&s, TRAINING, &r, 0, &b);
    Tape *t = tape_new(COMPUTE);
    Node *logits = model_forward(m, t, &b);
    size_t early = (size_t)logits->cols * 7;
    real *before = allocate(early, sizeof *before);
    memcpy(before, logits->value, early * sizeof *before);
    for (int i = 7; i < 12; i++)
        b.ids[i] = (b.ids[i] + 1) % 9;
    tape_reset(t);
    logits = model_forward(m, t, &b);
    ck_assert(!memcmp(before, logits->value, early * sizeof *before));
    free(before);
    tape_free(t);
    batch_free(&b);
    model_free(m);
}
