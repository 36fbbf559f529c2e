/* bench.c - qkv bench: how fast this machine is, and how near we come to it, on
   one core, or on those of --threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/threads.h"
#include "base/words.h"
#include "math/matrix.h"
#include "math/random.h"
#include "math/timing.h"
#include "tape/layers.h"
#include "tape/tape.h"
#include "variant/cost.h"
#include "model/model.h"
#include "train/optimizer.h"
#include "train/train.h"
#include "run/run.h"
#include "driver/cli/options.h"
#include "driver/cli/print.h"
#include "driver/figure/draw.h"
#include "driver/figure/figure.h"
#include "driver/commands.h"

/* What was measured: a table, and points of a figure. */
typedef struct Bench {
    Sheet sheet;
    struct Point {
        const char *series;
        double flops, speed; /* of one call; FLOP/s */
    } * points;
    int count, room;
} Bench;

/* A line: what, at which shape, GFLOP/s, share of the peak, tokens/s. */
static void
add_line(Bench *b, const char *what, const char *shape, double flops,
         double tokens, Timing t)
{
    Sheet *s = &b->sheet;
    b->points = grow(b->points, b->count, &b->room, sizeof *b->points);
    b->points[b->count++] = (struct Point){what, flops, flops / t.seconds};
    sheet_add(s, "%s\t%s\t%.1f\t%.0f%%", what, shape, flops / t.seconds * 1e-9,
              100 * flops / t.seconds / t.peak);
    if (tokens > 0)
        sheet_add(s, "%.4g", tokens / t.seconds);
    else
        sheet_add(s, "-");
}

/* The three products that training needs of a map (k x n) on m tokens. */
typedef struct Product {
    Matrix c, a, b;
} Product;

static void
run_product(void *more)
{
    const Product *p = more;
    multiply(p->c, p->a, p->b);
}

static real *
numbers(size_t count)
{
    Random r = random_stream(1, "bench");
    real *x = allocate(count, sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = (real)random_normal(&r);
    return x;
}

static void
bench_products(Bench *bench)
{
    static const int shapes[][3] = {{1024, 32, 32},    {1024, 32, 128},
                                    {1024, 128, 128},  {1024, 128, 512},
                                    {1024, 512, 512},  {1024, 512, 2048},
                                    {1024, 2048, 512}, {32, 16, 32},
                                    {64, 32, 64},      {32, 8, 32}};
    static const char *const forms[] = {"A B", "A B'", "A' B"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int m = shapes[i][0], k = shapes[i][1], n = shapes[i][2];
        size_t most = (size_t)(m > k ? m : k) * (size_t)(n > k ? n : k);
        real *a = numbers(most), *b = numbers(most), *c = numbers(most);
        for (int form = 0; form < 3; form++) {
            Product p = {matrix(c, m, n, n), matrix(a, m, k, k),
                         matrix(b, k, n, n)};
            if (form == 1)
                p.b = transposed(matrix(b, n, k, k));
            if (form == 2) /* A' B sums over the tokens */
                p = (Product){matrix(c, k, n, n),
                              transposed(matrix(a, m, k, k)),
                              matrix(b, m, n, n)};
            char shape[48];
            snprintf(shape, sizeof shape, "%s %d x %d x %d", forms[form],
                     p.c.rows, p.a.cols, p.c.cols);
            add_line(bench, "matmul", shape, 2. * m * k * n, 0,
                     measure((Work){run_product, &p}));
        }
        free(a);
        free(b);
        free(c);
    }
}

/* attend forward and backward: 4 sequences, 8 heads of 64. */
typedef struct Layer {
    Attention a;
    Tape *tape;
    real *x, *gradient;
    int rows, cols, sequences;
} Layer;

static Node *
run_layer_on(Layer *l, Tape *t)
{
    Node *x = leaf(t, l->rows, l->cols, l->sequences, l->x, l->gradient);
    Node *h = split(x, l->a.heads);
    return attend(&l->a, h, h, h, 1 / sqrt(l->a.d_k));
}

static void
run_layer(void *more)
{
    Layer *l = more;
    tape_reset(l->tape);
    Node *out = run_layer_on(l, l->tape);
    backward(out);
}

static void
bench_attend(Bench *bench)
{
    static const int tokens[] = {16, 64, 128, 512, 2048};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        int t = tokens[i], b = t > 512 ? 1 : 4, d = 512;
        Layer l = {.a = {.heads = 8, .d_k = d / 8, .causal = 1},
                   .rows = b * t,
                   .cols = d,
                   .sequences = b};
        l.x = numbers((size_t)(l.rows * d));
        l.gradient = allocate((size_t)(l.rows * d), sizeof(real));
        Tape *measured = tape_measure();
        run_layer_on(&l, measured);
        l.tape = tape_fitting(measured);
        tape_free(measured);
        char shape[48];
        snprintf(shape, sizeof shape, "d512 h8 T%d B%d, causal", t, b);
        /* 6 products of (T + 1) / 2 visible tokens a token, 2 d each */
        double flops = 6. * (t + 1) * d * l.rows;
        add_line(bench, "attend", shape, flops, l.rows,
                 measure((Work){run_layer, &l}));
        tape_free(l.tape);
        free(l.x);
        free(l.gradient);
    }
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

/* FLOPs a token that no step can do without: 6 for each number of a matrix, and
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
bench_step(Bench *bench, const char *variant, const char *const config[2])
{
    Plugin p = plugin_open(variant);
    Config c = config_start();
    config_apply(&c, "norm=pre mask=causal positions=learned");
    config_apply(&c, config[1]);
    c.variant = interned(variant);
    config_cast(&c, &p);
    Dataset data = dataset_open(&c);
    Model *m = model_new(&c, data.sizes, p.variant);
    Batch b = batch_new(data.sizes, c.batch);
    Random r = dataset_stream(&data, TRAINING);
    dataset_draw(&data, TRAINING, &r, 0, &b);
    Step step = {m, optimizer_new(m), tape_for_step(m, &b), b, 0};
    add_line(bench, "training step", config[0], step_flops(m) * b.rows, b.rows,
             measure((Work){run_step, &step}));
    tape_free(step.tape);
    optimizer_free(&step.optimizer);
    batch_free(&b);
    model_free(m);
    dataset_close(&data);
}

/* One attention alone, forward and back: d512 h8 T512 B4. */
typedef struct Whole {
    const Variant *variant;
    Attention a;
    Weights weights;
    real **values, **gradients, *x, *dx;
    Node **w;
    Tape *tape;
} Whole;
enum { WHOLE_TOKENS = 512, WHOLE_BATCH = 4, WHOLE_WIDTH = 512 };

static Node *
run_whole_on(Whole *l, Tape *t)
{
    int rows = WHOLE_TOKENS * WHOLE_BATCH;
    for (int i = 0; i < l->weights.count; i++)
        l->w[i] = leaf(t, l->weights.list[i].rows, l->weights.list[i].cols, 1,
                       l->values[i], l->gradients[i]);
    Node *x = leaf(t, rows, WHOLE_WIDTH, WHOLE_BATCH, l->x, l->dx);
    return plugin_forward(l->variant, &l->a, x, x, l->w);
}

static void
run_whole(void *more)
{
    Whole *l = more;
    tape_reset(l->tape);
    backward(run_whole_on(l, l->tape));
}

static void
bench_whole(Bench *bench, const char *variant)
{
    int d = WHOLE_WIDTH, h = 8, rows = WHOLE_TOKENS * WHOLE_BATCH;
    Whole l = {.variant = plugin_open(variant).variant,
               .a = {d, h, d / h, d / h, h, d / h, 1, NULL}};
    l.weights = weights_declared(l.variant, &l.a);
    size_t count = (size_t)l.weights.count;
    l.w = allocate(count, sizeof *l.w);
    l.values = allocate(count, sizeof *l.values);
    l.gradients = allocate(count, sizeof *l.gradients);
    double numbers_in = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size =
            (size_t)l.weights.list[i].rows * (size_t)l.weights.list[i].cols;
        l.values[i] = numbers(size);
        l.gradients[i] = numbers(size);
        numbers_in += (double)size;
        for (size_t j = 0; j < size; j++)
            l.values[i][j] *= (real)l.weights.list[i].deviation;
    }
    l.x = numbers((size_t)(rows * d));
    l.dx = numbers((size_t)(rows * d));
    Tape *measured = tape_measure();
    run_whole_on(&l, measured);
    l.tape = tape_fitting(measured);
    tape_free(measured);
    double flops =
        (6 * numbers_in + causal_pairs(l.variant, l.a, WHOLE_TOKENS)) * rows;
    add_line(bench, "attention layer", "d512 h8 T512 B4", flops, rows,
             measure((Work){run_whole, &l}));
    tape_free(l.tape);
    for (size_t i = 0; i < count; i++) {
        free(l.values[i]);
        free(l.gradients[i]);
    }
    free(l.values);
    free(l.gradients);
    free(l.w);
    free(l.x);
    free(l.dx);
    weights_free(&l.weights);
}

static const char *const words[] = {"matmul", "attend", "train", "layer"};
enum { WORDS = sizeof words / sizeof *words };

static bool
is_named(const Options *o, const char *what)
{
    for (int i = 0; i < o->rest_count; i++)
        if (!strcmp(o->rest[i], what))
            return true;
    return false;
}

/* Exits (2) where a word is nothing that can be measured. */
static void
check_words(const Options *o)
{
    const char *known[WORDS + CONFIGS];
    memcpy(known, words, sizeof words);
    for (int i = 0; i < CONFIGS; i++)
        known[WORDS + i] = configs[i][0];
    for (int i = 0; i < o->rest_count; i++) {
        bool found = false;
        for (int k = 0; k < WORDS + CONFIGS; k++)
            found |= !strcmp(o->rest[i], known[k]);
        if (!found)
            usage("\"%s\": bench measures matmul, attend, layer, train, or "
                  "of train one of tiny, tiny-b1, tiny-no-mlp, toy, small, "
                  "paper%s",
                  o->rest[i], did_you_mean(o->rest[i], known, WORDS + CONFIGS));
    }
}

static void
bench_all(Bench *bench, const Options *o, const char *variant)
{
    bool all = !o->rest_count, train = all || is_named(o, "train");
    if (all || is_named(o, "matmul"))
        bench_products(bench);
    if (all || is_named(o, "attend"))
        bench_attend(bench);
    for (int i = 0; i < CONFIGS; i++)
        if (train || is_named(o, configs[i][0]))
            bench_step(bench, variant, configs[i]);
    if (train || is_named(o, "layer"))
        bench_whole(bench, variant);
}

/* GFLOP/s against the size of the work, and the peak of this machine. */
static void
draw_speed(const Options *o, const Bench *b)
{
    static const char *const series[] = {"peak", "matmul", "attend",
                                         "training step", "attention layer"};
    Figure f = figure_begin(o, "speed");
    fprintf(f.data, "series\tflops\tgflops_per_second\n");
    for (size_t s = 0; s < sizeof series / sizeof *series; s++)
        for (int i = 0; i < b->count; i++)
            if (!strcmp(b->points[i].series, series[s]))
                fprintf(f.data, "%s\t%.6g\t%.4g\n", series[s],
                        b->points[i].flops, b->points[i].speed * 1e-9);
    figure_title(&f, "Speed against the size of the work", "");
    figure_end(&f, "speed");
}

int
command_bench(int argc, char **argv)
{
    Options o = options_read(argc, argv, BENCH);
    Values *v = options_given(&o, "variant");
    check_words(&o);
    threads_start((int)o.threads);
    if (o.out)
        experiment_open(o.out);
    Bench bench = {.sheet.cols = 5};
    Sheet *sheet = &bench.sheet;
    sheet_add(sheet, "what\tshape\tGFLOP/s\tof_peak\ttokens/s");
    if (!o.quiet)
        note("about a minute, on one core; other work on the machine spoils "
             "it");
    double flops;
    Timing peak = measure_peak(&flops);
    peak.peak = flops / peak.seconds;
    add_line(&bench, "peak", "multiply-adds in registers", flops, 0, peak);
    if (!o.rest_count)
        sheet_add(sheet, "peak\tmemory read, %.1f GB/s\t-\t-\t-",
                  measure_reading() * 1e-9);
    bench_all(&bench, &o, v->count ? v->text[0] : "standard");
    sheet_print(sheet, wants_tsv(o.tsv));
    if (o.out)
        draw_speed(&o, &bench);
    free(bench.points);
    if (!wants_tsv(o.tsv))
        printf(
            "\nof_peak: of the peak measured between the repeats. A training "
            "step's FLOPs are\nthose it cannot do without: 6 a matrix "
            "number and token, 6 (T + 1) d a layer.\n");
    options_free(&o);
    return 0;
}
