/* bench.c - qkv bench: how fast this machine is, and how near to it products,
   attention and training steps come, on one core or on those of --threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/cost.h"
#include "base/words.h"
#include "driver/cli/options.h"
#include "driver/cli/table.h"
#include "driver/commands.h"
#include "heart/fail.h"
#include "heart/layers.h"
#include "heart/matrix.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "heart/threads.h"
#include "math/timing.h"
#include "config/build.h"
#include "heart/optimizer.h"
#include "heart/train.h"

/* A line: what, at which shape, GFLOP/s, share of the peak, tokens/s. */
static void
add_line(Sheet *s, const char *what, const char *shape, double flops,
         double tokens, Timing t)
{
    sheet_row(s, cell_words(what), cell_words(shape),
              cell_number(flops / t.seconds * 1e-9),
              cell_number(flops / t.seconds / t.peak),
              cell_number(tokens > 0 ? tokens / t.seconds : NAN));
}

static real *
random_numbers(size_t count)
{
    Random r = random_stream(1, "bench");
    real *x = allocate(count, sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = (real)random_normal(&r);
    return x;
}

typedef struct Product {
    Matrix c, a, b;
} Product;

static void
run_product(void *more)
{
    const Product *p = more;
    multiply(p->c, p->a, p->b);
}

/* The three products that training needs of a map (k x n) on m tokens. */
static void
bench_product(Sheet *sheet, int m, int k, int n)
{
    static const char *const forms[] = {"A B", "A B'", "A' B"};
    size_t most = (size_t)(m > k ? m : k) * (size_t)(n > k ? n : k);
    real *a = random_numbers(most), *b = random_numbers(most);
    real *c = random_numbers(most);
    const Product products[] = {
        {matrix(c, m, n, n), matrix(a, m, k, k), matrix(b, k, n, n)},
        {matrix(c, m, n, n), matrix(a, m, k, k),
         transposed(matrix(b, n, k, k))},
        {matrix(c, k, n, n), transposed(matrix(a, m, k, k)),
         matrix(b, m, n, n)}};
    for (int form = 0; form < 3; form++) {
        Product p = products[form];
        char shape[48];
        snprintf(shape, sizeof shape, "%s %d x %d x %d", forms[form], p.c.rows,
                 p.a.cols, p.c.cols);
        add_line(sheet, "matmul", shape, 2. * m * k * n, 0,
                 measure(run_product, &p));
    }
    free(a);
    free(b);
    free(c);
}

/* A causal attention of 8 heads of 64, forward and back: attend alone, or all
   of a variant. */
typedef struct Layer {
    const Variant *variant; /* NULL: attend alone */
    Attention a;
    Weights weights;
    Node **w;
    real *values, *gradients; /* x, and then matrix by matrix */
    int tokens, sequences;
    Tape *tape;
} Layer;

static Node *
layer_forward(Layer *l, Tape *t)
{
    int rows = l->tokens * l->sequences, d = l->a.d_model;
    size_t at = (size_t)rows * (size_t)d;
    Node *x = leaf(t, rows, d, l->sequences, l->values, l->gradients);
    if (!l->variant) {
        Node *h = split(x, l->a.heads);
        return attend(&l->a, h, h, h, 1 / sqrt(l->a.d_k));
    }
    for (int i = 0; i < l->weights.count; i++) {
        const Declared *m = &l->weights.list[i];
        l->w[i] =
            leaf(t, m->rows, m->cols, 1, l->values + at, l->gradients + at);
        at += (size_t)m->rows * (size_t)m->cols;
    }
    return plugin_forward(l->variant, &l->a, x, x, l->w);
}

static void
run_layer(void *more)
{
    Layer *l = more;
    tape_reset(l->tape);
    backward_from(layer_forward(l, l->tape), l->values);
}

static void
bench_layer(Sheet *sheet, const Variant *v, int tokens, int sequences)
{
    enum { D = 512, HEADS = 8 };
    Layer l = {
        .variant = v,
        .a = {D, HEADS, D / HEADS, D / HEADS, HEADS, D / HEADS, 1, .layers = 1},
        .tokens = tokens,
        .sequences = sequences};
    double rows = (double)tokens * sequences, parameters = 0, flops;
    if (v)
        l.weights = weights_declared(v, &l.a);
    for (int i = 0; i < l.weights.count; i++)
        parameters += (double)l.weights.list[i].rows * l.weights.list[i].cols;
    l.w = allocate((size_t)l.weights.count + 1, sizeof *l.w);
    size_t entries = (size_t)rows * D, all = entries + (size_t)parameters;
    l.values = random_numbers(all);
    l.gradients = allocate(all, sizeof(real));
    for (size_t i = entries; i < all; i++)
        l.values[i] *= (real)(1 / sqrt(D));
    l.tape = tape_new(0);
    /* of attend, 6 products of (T + 1) / 2 visible tokens a token, 2 d each */
    flops = v ? 6 * parameters + causal_pairs(v, l.a, tokens)
              : 6. * (tokens + 1) * D;
    char shape[48];
    snprintf(shape, sizeof shape, "d512 h8 T%d B%d%s", tokens, sequences,
             v ? "" : ", causal");
    add_line(sheet, v ? "attention layer" : "attend", shape, flops * rows, rows,
             measure(run_layer, &l));
    tape_free(l.tape);
    free(l.values);
    free(l.gradients);
    free(l.w);
    weights_free(&l.weights);
}

/* Configurations of a decoder: pre-norm, causal, learned positions. */
static const char *const configs[][2] = {
    {"tiny", "symbols=64 d-model=32 heads=4 layers=1 length=16 batch=32 mlp=4"},
    {"tiny-b1",
     "symbols=64 d-model=32 heads=4 layers=1 length=16 batch=1 mlp=4"},
    {"tiny-no-mlp",
     "symbols=64 d-model=32 heads=4 layers=1 length=16 batch=32 mlp=0"},
    {"toy", "symbols=64 d-model=64 heads=4 layers=2 length=32 batch=32 mlp=4"},
    {"small",
     "symbols=96 d-model=128 heads=4 layers=4 length=64 batch=32 mlp=4"},
    {"paper",
     "symbols=1024 d-model=512 heads=8 layers=2 length=128 batch=8 mlp=4"}};
enum { CONFIGS = sizeof configs / sizeof *configs };

/* A training step: forward, backward, Adam. */
typedef struct Step {
    Model *model;
    Optimizer optimizer;
    Tape *tape;
    Batch batch;
    int count;
} Step;

static void
run_step(void *more)
{
    Step *s = more;
    double accuracy;
    train_step(s->model, &s->optimizer, s->tape, &s->batch, ++s->count,
               &accuracy);
}

/* FLOPs a token that no step can do without: 6 for each entry of a matrix, and
   attention's pairs in each layer. */
static double
step_flops(const Model *m)
{
    double matrices = 0;
    for (int i = 0; i < m->count; i++) {
        const Weight *w = &m->weights[i];
        if (w->rows > 1 && strcmp(w->name, "embedding") &&
            strcmp(w->name, "positions"))
            matrices += (double)w->rows * w->cols;
    }
    return 6 * matrices + m->config.layers * causal_pairs(m->variant,
                                                          m->attention,
                                                          m->sizes.tokens);
}

static void
bench_step(Sheet *sheet, const char *variant, const char *const config[2])
{
    Config c = config_start();
    config_apply(&c, "norm=pre mask=causal positions=learned");
    config_apply(&c, config[1]);
    c.variant = interned(variant);
    Dataset data;
    Model *m = model_open(c, &data);
    Batch b = batch_new(data.sizes, c.batch);
    Random r = dataset_stream(&data, TRAINING);
    dataset_draw(&data, TRAINING, &r, 0, &b);
    Step step = {m, optimizer_new(m), tape_new(0), b, 0};
    add_line(sheet, "training step", config[0], step_flops(m) * b.rows, b.rows,
             measure(run_step, &step));
    tape_free(step.tape);
    optimizer_free(&step.optimizer);
    batch_free(&b);
    model_free(m);
    dataset_close(&data);
}

/* Everything is measured where nothing is named. */
static bool
is_named(const Options *o, const char *what)
{
    for (int i = 0; i < o->rest_count; i++)
        if (!strcmp(o->rest[i], what))
            return true;
    return !o->rest_count;
}

/* Exits (2) where a word is nothing that can be measured. */
static void
check_words(const Options *o)
{
    enum { KINDS = 4 };
    const char *known[KINDS + CONFIGS] = {"matmul", "attend", "train", "layer"};
    for (int i = 0; i < CONFIGS; i++)
        known[KINDS + i] = configs[i][0];
    for (int i = 0; i < o->rest_count; i++) {
        bool found = false;
        for (int k = 0; k < KINDS + CONFIGS; k++)
            found |= !strcmp(o->rest[i], known[k]);
        if (!found)
            usage("\"%s\": bench measures matmul, attend, layer, train, or "
                  "of train one of tiny, tiny-b1, tiny-no-mlp, toy, small, "
                  "paper%s",
                  o->rest[i], did_you_mean(o->rest[i], known, KINDS + CONFIGS));
    }
}

static void
bench_all(Sheet *sheet, const Options *o, const char *variant)
{
    static const int shapes[][3] = {{1024, 32, 32},    {1024, 32, 128},
                                    {1024, 128, 128},  {1024, 128, 512},
                                    {1024, 512, 512},  {1024, 512, 2048},
                                    {1024, 2048, 512}, {32, 16, 32},
                                    {64, 32, 64},      {32, 8, 32}};
    static const int tokens[] = {16, 64, 128, 512, 2048};
    for (size_t i = 0; is_named(o, "matmul") && i < 10; i++)
        bench_product(sheet, shapes[i][0], shapes[i][1], shapes[i][2]);
    for (size_t i = 0; is_named(o, "attend") && i < 5; i++)
        bench_layer(sheet, NULL, tokens[i], tokens[i] > 512 ? 1 : 4);
    for (int i = 0; i < CONFIGS; i++)
        if (is_named(o, "train") || is_named(o, configs[i][0]))
            bench_step(sheet, variant, configs[i]);
    if (is_named(o, "train") || is_named(o, "layer"))
        bench_layer(sheet, plugin_open(variant).variant, 512, 4);
}

int
command_bench(int argc, char **argv)
{
    Options o = options_read(argc, argv, BENCH);
    Values *v = options_given(&o, "variant");
    static const Column columns[] = {
        {"what", .words = true},
        {"shape", .words = true},
        {"GFLOP/s", .format = "%.1f"},
        {"of_peak", .format = "%.3g", .share = true},
        {"tokens/s", .format = "%.4g"}};
    Sheet sheet = sheet_of(columns, 5);
    check_words(&o);
    threads_start(o.work.threads);
    if (!o.quiet)
        note("about a minute; other work on the machine spoils it");
    Timing peak = measure_peak();
    add_line(&sheet, "peak", "multiply-adds in registers",
             peak.peak * peak.seconds, 0, peak);
    bench_all(&sheet, &o, v->count ? v->text[0] : "standard");
    sheet_note(&sheet, "speed",
               copy_text("of_peak: of the peak measured between the repeats. A "
                         "training step's FLOPs are those it cannot do "
                         "without: 6 a matrix number and token, 6 (T + 1) d a "
                         "layer."));
    sheet_print(&sheet, layout_of(&o));
    options_free(&o);
    return 0;
}
