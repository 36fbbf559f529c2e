/* bench.c - qkv bench: how fast this machine is, and how near we come to it.

   Everything on one core. A speed is the median of several repeats, between
   which the machine's peak is measured again: shares of it are ratios taken
   side by side, which a noisy machine spoils least. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "fail.h"
#include "layers.h"
#include "matrix.h"
#include "model.h"
#include "optimizer.h"
#include "options.h"
#include "print.h"
#include "random.h"
#include "tape.h"
#include "train.h"
#include "vector.h"
#include "words.h"

enum { REPEATS = 7 };
static const double seconds_each = 0.03; /* a repeat lasts at least so long */

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Work to be timed. */
typedef struct Work {
    void (*run)(void *more);
    void *more;
} Work;

/* Seconds a run takes, in runs that last long enough together. */
static double
once(const Work *w)
{
    for (int runs = 1;; runs *= 2) {
        double start = now();
        for (int i = 0; i < runs; i++)
            w->run(w->more);
        double passed = now() - start;
        if (passed >= seconds_each)
            return passed / runs;
    }
}

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Multiply-adds in registers alone: 12 chains, to hide what one takes. */
enum { CHAINS = 12, STEPS = 20000 };
static const double peak_flops =
    2. * CHAINS * STEPS * sizeof(Widest) / sizeof(real);

static void
run_peak(void *more)
{
    real *start = more;
    Widest sum[CHAINS], a = start[0] - (Widest){0}, b = start[1] - (Widest){0};
    for (int i = 0; i < CHAINS; i++)
        sum[i] = start[2 + i] - (Widest){0};
    for (int step = 0; step < STEPS; step++) {
#pragma GCC unroll 16
        for (int i = 0; i < CHAINS; i++)
            sum[i] = FMA_WIDEST(sum[i], a, b);
    }
    for (int i = 0; i < CHAINS; i++)
        start[2 + i] = sum[i][0];
}

/* The median time of a run, and of the peak's between its repeats. */
typedef struct Timing {
    double seconds, peak; /* FLOP/s */
} Timing;

static Timing
measure(Work w)
{
    double found[REPEATS], peaks[REPEATS];
    real start[2 + CHAINS] = {(real)0.999, (real)0.001};
    Work peak = {run_peak, start};
    w.run(w.more); /* warm */
    for (int i = 0; i < REPEATS; i++) {
        peaks[i] = peak_flops / once(&peak);
        found[i] = once(&w);
    }
    qsort(found, REPEATS, sizeof *found, by_size);
    qsort(peaks, REPEATS, sizeof *peaks, by_size);
    return (Timing){found[REPEATS / 2], peaks[REPEATS / 2]};
}

/* A line: what, at which shape, GFLOP/s, share of the peak, tokens/s. */
static void
add_line(Sheet *s, const char *what, const char *shape, double flops,
         double tokens, Timing t)
{
    sheet_add(s, "%s", what);
    sheet_add(s, "%s", shape);
    sheet_add(s, "%.1f", flops / t.seconds * 1e-9);
    sheet_add(s, "%.0f%%", 100 * flops / t.seconds / t.peak);
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
bench_products(Sheet *s)
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
            add_line(s, "matmul", shape, 2. * m * k * n, 0,
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
bench_attend(Sheet *s)
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
        add_line(s, "attend", shape, flops, l.rows,
                 measure((Work){run_layer, &l}));
        tape_free(l.tape);
        free(l.x);
        free(l.gradient);
    }
}

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
    tape_reset(s->tape);
    Node *logits = model_forward(s->model, s->tape, &s->batch);
    backward(cross_entropy(logits, s->batch.all.targets));
    optimizer_step(&s->optimizer, s->model, ++s->count);
}

/* FLOPs a token that no step can do without: 6 for each number of a matrix,
   6 (T + 1) d a layer for causal attention. */
static double
step_flops(const Model *m)
{
    const Config *c = &m->config;
    double matrices = 0;
    for (int i = 0; i < m->count; i++) {
        const Weight *w = &m->weights[i];
        if (w->rows > 1 && strcmp(w->name, "embedding") &&
            strcmp(w->name, "positions"))
            matrices += (double)w->rows * w->cols;
    }
    return 6 * matrices + 6. * (m->sizes.tokens + 1) * c->d_model * c->layers;
}

static void
bench_steps(Sheet *s, const char *variant)
{
    static const char *const configs[][2] = {
        {"tiny", "symbols=64 d-model=32 heads=4 layers=1 length=16 batch=32 "
                 "mlp=4"},
        {"tiny, B=1", "symbols=64 d-model=32 heads=4 layers=1 length=16 "
                      "batch=1 mlp=4"},
        {"tiny, no MLP", "symbols=64 d-model=32 heads=4 layers=1 length=16 "
                         "batch=32 mlp=0"},
        {"toy", "symbols=64 d-model=64 heads=4 layers=2 length=32 batch=32 "
                "mlp=4"},
        {"small", "symbols=96 d-model=128 heads=4 layers=4 length=64 batch=32 "
                  "mlp=4"},
        {"paper", "symbols=1024 d-model=512 heads=8 layers=2 length=128 "
                  "batch=8 mlp=4"}};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        Plugin p = plugin_open(variant);
        Config c = config_start();
        config_apply(&c, "norm=pre mask=causal positions=learned");
        config_apply(&c, configs[i][1]);
        snprintf(c.variant, sizeof c.variant, "%s", variant);
        config_cast(&c, &p);
        Source source = source_open(&c);
        Step step = {.model = model_new(&c, source.sizes, p.variant),
                     .batch = batch_new(source.sizes, c.batch)};
        Random r = source_stream(&source, TRAINING);
        source_draw(&source, TRAINING, &r, 0, &step.batch);
        step.optimizer = optimizer_new(step.model);
        step.tape = tape_for(step.model, &step.batch);
        add_line(s, "training step", configs[i][0],
                 step_flops(step.model) * step.batch.rows, step.batch.rows,
                 measure((Work){run_step, &step}));
        tape_free(step.tape);
        optimizer_free(&step.optimizer);
        batch_free(&step.batch);
        model_free(step.model);
        source_close(&source);
    }
}

/* Is it among the words given, or are there none? */
static bool
asked_for(const Options *o, const char *what)
{
    static const char *const known[] = {"matmul", "attend", "train"};
    bool found = !o->rest_count;
    for (int i = 0; i < o->rest_count; i++) {
        bool is_one = false;
        for (int k = 0; k < 3; k++)
            is_one |= !strcmp(o->rest[i], known[k]);
        if (!is_one)
            usage("\"%s\": bench measures matmul, attend and train%s",
                  o->rest[i], did_you_mean(o->rest[i], known, 3));
        found |= !strcmp(o->rest[i], what);
    }
    return found;
}

int
command_bench(int argc, char **argv)
{
    static const char *const names[] = {"what", "shape", "GFLOP/s", "of_peak",
                                        "tokens/s"};
    Options o = options_read(argc, argv, BENCH);
    Values *v = options_given(&o, "variant");
    real start[2 + CHAINS] = {(real)0.999, (real)0.001};
    Work peak = {run_peak, start};
    Sheet sheet = {.cols = 5};
    for (int i = 0; i < 5; i++)
        sheet_add(&sheet, "%s", names[i]);
    if (!o.quiet)
        note("about half a minute, on one core; other work on the machine "
             "spoils it");
    once(&peak);
    add_line(&sheet, "peak", "multiply-adds in registers", peak_flops, 0,
             measure(peak));
    if (asked_for(&o, "matmul"))
        bench_products(&sheet);
    if (asked_for(&o, "attend"))
        bench_attend(&sheet);
    if (asked_for(&o, "train"))
        bench_steps(&sheet, v->count ? v->text[0] : "standard");
    sheet_print(&sheet, wants_tsv(o.tsv));
    if (!wants_tsv(o.tsv))
        printf(
            "\nof_peak: of the peak measured between the repeats. A training "
            "step's FLOPs are\nthose it cannot do without: 6 a matrix "
            "number and token, 6 (T + 1) d a layer.\n");
    options_free(&o);
    return 0;
}
