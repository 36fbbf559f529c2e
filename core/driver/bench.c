/* bench.c - qkv bench: how fast this machine is, and how near to it a training
   step and its products come, on one core or on those of --threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "algebra/cost.h"
#include "config/build_model.h"
#include "driver/options.h"
#include "study/table.h"
#include "driver/commands.h"
#include "heart/fail.h"
#include "heart/matrix.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "heart/threads.h"
#include "heart/train.h"
#include "math/timing.h"

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

typedef struct Factors {
    Matrix c, a, b;
} Factors;

static void
run_product(void *more)
{
    const Factors *p = more;
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
    const Factors products[] = {
        {matrix(c, m, n, n), matrix(a, m, k, k), matrix(b, k, n, n)},
        {matrix(c, m, n, n), matrix(a, m, k, k),
         transposed(matrix(b, n, k, k))},
        {matrix(c, k, n, n), transposed(matrix(a, m, k, k)),
         matrix(b, m, n, n)}};
    for (int form = 0; form < 3; form++) {
        Factors p = products[form];
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

/* A training step: forward, backward and the optimizer's. */
typedef struct Step {
    Model *model;
    Tape *tape;
    Batch batch;
} Step;

static void
run_step(void *more)
{
    Step *s = more;
    double accuracy;
    train_step(s->model, s->tape, &s->batch, &accuracy);
}

/* FLOPs of all products of a step, forward and backward. */
static double
step_flops(Model *m, const Batch *b)
{
    double flops[2], sum = 0;
    Tape *t = tape_new(SHAPES_ONLY);
    model_forward(m, t, b);
    for (Node *n = t->last; n; n = n->previous) {
        node_flops(n, t->last, flops);
        sum += flops[0] + flops[1];
    }
    tape_free(t);
    return sum;
}

static void
bench_step(Sheet *sheet, Model *m, const Dataset *data)
{
    const Config *c = &m->config;
    Batch b = batch_new(data->sizes, c->batch);
    Random r = dataset_stream(data, TRAINING);
    dataset_draw(data, TRAINING, &r, 0, &b);
    Step step = {m, tape_new(0), b};
    char shape[80];
    snprintf(shape, sizeof shape, "d%d h%d L%d T%d B%d", c->d_model, c->heads,
             c->layers, data->sizes.tokens, c->batch);
    add_line(sheet, "training step", shape, step_flops(m, &b), b.rows,
             measure(run_step, &step));
    tape_free(step.tape);
    batch_free(&b);
}

/* The model that `qkv train` would train with these options. */
static Model *
manifest_model(const Options *o, Dataset *data)
{
    Config c = config_start();
    const Values *task = given_to(&o->request, "task");
    if (task->count)
        c = task_start(task->text[0]);
    request_apply(&o->request, &c);
    request_used(&o->request,
                 (const char *[]){variant_uses(plugin_open(c.variant).variant)},
                 1);
    return model_open(c, data);
}

int
command_bench(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    static const Column columns[] = {
        {"what", .words = true},
        {"shape", .words = true},
        {"GFLOP/s", .format = "%.1f"},
        {"of_peak", .format = "%.3g", .share = true},
        {"tokens/s", .format = "%.4g"}};
    Sheet sheet = sheet_of(columns, 5);
    Dataset data;
    Model *m = manifest_model(&o, &data);
    int tokens = data.sizes.tokens, d = m->attention.d_model;
    thread_count = o.request.work.threads;
    if (!o.quiet)
        note("some seconds; other work on the machine spoils it");
    Timing peak = measure_peak();
    add_line(&sheet, "peak", "multiply-adds in registers",
             peak.peak * peak.seconds, 0, peak);
    bench_product(&sheet, tokens * m->config.batch, d, d);   /* a map */
    bench_product(&sheet, tokens, m->attention.d_k, tokens); /* of a head */
    bench_step(&sheet, m, &data);
    sheet_note(&sheet, "speed",
               copy_text("of_peak: of the peak measured between the repeats. "
                         "Products: those of a map d x d on the tokens of a "
                         "batch, then those of a head. The FLOPs of a step are "
                         "those of its products, masked pairs "
                         "too."));
    sheet_print(&sheet, layout_of(&o));
    model_free(m);
    dataset_close(&data);
    request_free(&o.request);
    return 0;
}
