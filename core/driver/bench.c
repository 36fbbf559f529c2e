/* bench.c - qkv bench: how fast this machine is, and how near to it a training
   step comes, on one core or on those of --threads. */
#include <math.h>

#include "algebra/cost.h"
#include "config/build_model.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "heart/matrix.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "heart/threads.h"
#include "heart/train.h"
#include "math/timing.h"
#include "page/table.h"

/* A line: what, GFLOP/s, share of the peak, tokens/s. */
static void
add_line(Sheet *s, const char *what, double flops, double tokens, Timing t)
{
    sheet_row(s, cell_words(what), cell_number(flops / t.seconds * 1e-9),
              cell_number(flops / t.seconds / t.peak),
              cell_number(tokens > 0 ? tokens / t.seconds : NAN));
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
    Batch b = batch_new(data->sizes, m->config.batch);
    Random r = dataset_stream(data, TRAINING);
    dataset_draw(data, TRAINING, &r, 0, &b);
    Step step = {m, tape_new(0), b};
    add_line(sheet, "training step", step_flops(m, &b), b.rows,
             measure(run_step, &step));
    tape_free(step.tape);
    batch_free(&b);
}

/* The model that `qkv train` would train with these options. */
static Model *
model_asked(const Options *o, Dataset *data)
{
    const Values *task = given_to(&o->request, "task");
    Config c = task->count ? task_start(task->text[0]) : config_start();
    request_apply(&o->request, &c);
    const char *uses = variant_uses(plugin_open(c.variant).variant);
    request_used(&o->request, &uses, 1);
    return model_open(c, data);
}

int
command_bench(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    static const Column columns[] = {
        {"what", .words = true},
        {"GFLOP/s", .format = "%.1f"},
        {"of_peak", .format = "%.3g", .share = true},
        {"tokens/s", .format = "%.4g"}};
    Sheet sheet = sheet_of(columns, 4);
    Dataset data;
    Model *m = model_asked(&o, &data);
    thread_count = o.request.work.threads;
    if (!o.quiet)
        note("some seconds; other work on the machine spoils it");
    Timing peak = measure_peak();
    add_line(&sheet, "multiply-adds in registers", peak.peak * peak.seconds, 0,
             peak);
    bench_step(&sheet, m, &data);
    sheet_note(&sheet, "speed",
               copy_text("of_peak: of the peak measured between the repeats. "
                         "The FLOPs of a step are those of its products, "
                         "masked pairs too."));
    sheet_print(&sheet, layout_of(&o));
    model_free(m);
    dataset_close(&data);
    request_free(&o.request);
    return 0;
}
