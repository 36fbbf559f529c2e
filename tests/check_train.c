/* check_train.c - the optimizers, the loop, and what training achieves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algebra/svd.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "fast/threads.h"
#include "heart/fail.h"
#include "heart/embedding_and_loss.h"
#include "heart/random.h"
#include "heart/tape.h"
#include "heart/train.h"
#include "suites.h"
#include "training/build_model.h"
#include "training/optimizers.h"
#include "training/solved_or_diverged.h"
#include "watch/gauge.h"
#include "watch/observe.h"
#include "watch/turn.h"

static Model *
built(const char *task, const char *more, Dataset *s)
{
    Config c = task_start(task);
    config_apply(&c, more);
    c.task = interned(task);
    Plugin p = plugin_open(c.variant);
    config_resolve(&c, p.variant->shape);
    *s = dataset_open(&c);
    return model_new(&c, s->sizes, p.variant);
}

/* The test's executable is linked so that these stand before libc's own. */
int allocations;
#define COUNTED(type, name, arguments, ...) \
    type __real_##name arguments;           \
    type __wrap_##name arguments;           \
    type __wrap_##name arguments            \
    {                                       \
        allocations++;                      \
        return __real_##name(__VA_ARGS__);  \
    }
/* clang-format off */
COUNTED(void *, malloc, (size_t size), size)
COUNTED(void *, calloc, (size_t count, size_t size), count, size)
COUNTED(void *, realloc, (void *old, size_t size), old, size)
COUNTED(void *, aligned_alloc, (size_t alignment, size_t size), alignment, size)
COUNTED(int, posix_memalign, (void **to, size_t alignment, size_t size), to, alignment, size)
/* clang-format on */

/* Training steps of a model with all its parts ask for no memory and call no
   system: the kernel ends, in its strict mode, a process that makes a call
   other than read, write and exit. */
TESTS(a_step_allocates_nothing_and_calls_nobody, 3)
{
    static const struct {
        const char *task, *settings;
        int steps;
    } run[] = {{"induction", "mlp=2 norm=pre", 20},
               {"translate", "mlp=2 norm=pre optimizer=muon", 20},
#ifndef QKV_DEBUG /* minutes under the sanitizers */
               {"reverse", "d-model=8 heads=2 length=4 batch=2", 100000}
#else
               {"reverse", "d-model=8 heads=2 length=4 batch=2", 1000}
#endif
    };
    Dataset s;
    Model *m = built(run[_i].task, run[_i].settings, &s);
    Batch b = batch_new(s.sizes, m->config.batch);
    Tape *t = tape_new(COMPUTE);
    Random r = dataset_stream(&s, TRAINING);
    double accuracy;
    ck_assert(allocations > 5);
    dataset_draw(&s, TRAINING, &r, 0, &b);
    train_step(m, t, &b, &accuracy);
    int before = allocations;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        for (int step = 2; step <= run[_i].steps; step++) {
            dataset_draw(&s, TRAINING, &r, step, &b);
            train_step(m, t, &b, &accuracy);
        }
        syscall(SYS_exit, allocations != before);
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert_msg(WIFEXITED(status), "a system call");
    ck_assert_msg(WEXITSTATUS(status) == 0, "an allocation");
}

/* A batch that goes through the model in micro-batches teaches what it teaches
   whole, to the bit; 37 sequences make the last one smaller. (Where two
   sequences share an embedding, its gradient is summed in a different order.)
   */
TESTS(micro_batches, 2)
{
    static const char *const tasks_of[] = {"induction", "translate"};
    Model *m[2];
    Dataset s;
    for (int i = 0; i < 2; i++)
        m[i] = built(tasks_of[_i], "mlp=2 norm=pre batch=37", &s);
    ck_assert_int_lt(micro_batch_size(m[0]), 37);
    Batch b = batch_new(s.sizes, 37);
    Tape *t = tape_new(COMPUTE);
    Random r = dataset_stream(&s, TRAINING);
    for (int step = 1; step < 4; step++) {
        dataset_draw(&s, TRAINING, &r, step, &b);
        double accuracy, loss = train_step(m[0], t, &b, &accuracy);
        tape_reset(t);
        Node *logits = model_forward(m[1], t, &b);
        int counted = counted_rows(b.targets, b.rows);
        Node *whole = cross_entropy(logits, b.targets, counted);
        backward(whole);
        optimizer_step(m[1]);
        ck_assert(fabs(loss - (double)whole->value[0]) < 1e-5 * loss);
        ck_assert(accuracy ==
                  (double)correct_rows(logits, b.targets) / counted);
        size_t size = m[0]->parameters * sizeof(real);
        if (!m[0]->sizes.source)
            ck_assert(!memcmp(m[0]->values, m[1]->values, size));
        for (size_t i = 0; i < m[0]->parameters; i++)
            ck_assert(fabs((double)(m[0]->gradients[i] - m[1]->gradients[i])) <
                      1e-5);
        memcpy(m[0]->values, m[1]->values, size);
    }
}

/* What three threads learn together is what one learns, to the bit: short and
   long attention, and heads that share keys. */
TESTS(threads_change_nothing, 3)
{
    static const char *const settings_of[] = {
        "mlp=4 d-model=64 heads=4 d-k=16 d-v=16 length=100 batch=5",
        "mlp=4 d-model=64 heads=4 d-k=16 d-v=16 length=30 batch=16",
        "variant=gqa mlp=4 d-model=64 heads=4 kv-heads=2 length=80 batch=3"};
    Model *m[2];
    for (int i = 0; i < 2; i++) {
        Dataset s;
        m[i] = built("reverse", settings_of[_i], &s);
        thread_count = 1 + 2 * i;
        Batch b = batch_new(s.sizes, m[i]->config.batch);
        Tape *t = tape_new(COMPUTE);
        Random r = dataset_stream(&s, TRAINING);
        double accuracy;
        for (int step = 1; step < 4; step++) {
            dataset_draw(&s, TRAINING, &r, step, &b);
            train_step(m[i], t, &b, &accuracy);
        }
        tape_free(t);
        batch_free(&b);
    }
    ck_assert(
        !memcmp(m[0]->values, m[1]->values, m[0]->parameters * sizeof(real)));
}

/* A sequence of 8,192 tokens trains in memory that grows with its length. */
TEST(memory_of_long_sequences)
{
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        Dataset s;
        Model *m = built("reverse",
                         i ? "length=8192 heads=1 batch=1 mask=causal"
                           : "length=1024 heads=1 batch=1 mask=causal",
                         &s);
        Batch b = batch_new(s.sizes, 1);
        Tape *t = tape_new(SHAPES_ONLY);
        backward(cross_entropy(model_forward(m, t, &b), b.targets, b.rows));
        bytes[i] = t->bytes + t->entries * sizeof(real);
        tape_free(t);
        batch_free(&b);
        model_free(m);
    }
    ck_assert_msg(bytes[1] < ((size_t)8 << 20) * sizeof(real), "%zu bytes",
                  bytes[1]);
    ck_assert((double)bytes[1] < 8.1 * (double)bytes[0]);
}

TEST(rates)
{
    Config c = config_start();
    config_apply(&c, "lr=0.5 steps=100 warmup=10 schedule=cosine");
    ck_assert(fabs(learning_rate(&c, 1) - 0.05) < 1e-12);
    ck_assert(fabs(learning_rate(&c, 10) - 0.5) < 1e-12);
    ck_assert(fabs(learning_rate(&c, 55) - 0.25) < 1e-12);
    ck_assert(fabs(learning_rate(&c, 100)) < 1e-12);
    config_apply(&c, "schedule=constant");
    ck_assert(learning_rate(&c, 100) == 0.5);
}

/* Two steps of each optimizer on one weight, against the papers' formulas in
   their own order. */
TEST(optimizers)
{
    static const char *const how[] = {"optimizer=sgd momentum=0.9",
                                      "optimizer=adam", "optimizer=adamw",
                                      "optimizer=muon"}; /* Adam for vectors */
    for (int k = 0; k < 4; k++) {
        Dataset s;
        Model *m = built("reverse", how[k], &s);
        config_apply(&m->config, "lr=0.1 weight-decay=0.01");
        double w = 0.5, v = 0, first = 0, second = 0;
        m->values[3] = (real)w;
        for (int step = 1; step <= 2; step++) {
            double g = step == 1 ? 2 : -1, lr = 0.1, decay = 0.01;
            m->gradients[3] = (real)g;
            optimizer_step(m);
            if (k < 2)
                g += decay * w;
            v = 0.9 * v + g;
            first = 0.9 * first + 0.1 * g;
            second = 0.999 * second + 0.001 * g * g;
            double a = first / (1 - pow(0.9, step));
            double b = second / (1 - pow(0.999, step));
            if (k == 0)
                w -= lr * v;
            else
                w -= lr * (a / (sqrt(b) + 1e-8) + (k >= 2 ? decay * w : 0));
            ck_assert_msg(fabs((double)m->values[3] - w) < 1e-5,
                          "%s, step %d: %g, not %g", how[k], step,
                          (double)m->values[3], w);
        }
        model_free(m);
    }
}

/* A step of Muon, over its rate, has singular values near 1, of a wide matrix
   and of a tall one, whatever the gradient's are. */
TESTS(steps_of_muon_are_orthogonal, 2)
{
    static const char *const of[] = {"variant=fused", "variant=mla"};
    Dataset s;
    Model *m = built("reverse", of[_i], &s);
    config_apply(&m->config, "optimizer=muon lr=0.01");
    const Weight *w = m->weights;
    while (!w->attention || w->rows == w->cols)
        w++;
    int size = w->rows * w->cols,
        longer = w->rows > w->cols ? w->rows : w->cols;
    double *step = allocate((size_t)size, sizeof *step);
    Random r = random_stream(1, "gradient");
    for (int i = 0; i < size; i++) {
        w->gradient[i] = (real)(random_normal(&r) * (i % w->cols ? 1 : 5));
        step[i] = (double)w->value[i];
    }
    optimizer_step(m);
    for (int i = 0; i < size; i++)
        step[i] = (step[i] - (double)w->value[i]) / (0.002 * sqrt(longer));
    Svd d = svd_of(step, w->rows, w->cols);
    for (int i = 0; i < d.k; i++)
        ck_assert_msg(d.s[i] > 0.65 && d.s[i] < 1.25, "%s: %g", w->name,
                      d.s[i]);
    free(d.u);
    free(step);
    model_free(m);
}

static bool
count_rows(void *to, const Result *so_far)
{
    if (so_far->logged)
        ++*(int *)to;
    ck_assert(!so_far->logged ||
              isfinite(so_far->rows[so_far->count - 1].validation_loss));
    return true;
}

/* Steps that no --log-every divides, the same bits twice, and every kind of
   model once. */
TEST(every_kind_of_model_trains_alike_twice)
{
    static const char *const kinds[] = {
        "norm=pre mlp=2 positions=alibi optimizer=adamw",
        "positions=none residual=no optimizer=sgd lr=0.1",
        "layers=2 heads=2 d-k=5 d-v=3 schedule=cosine warmup=5",
        "positions=rope layers=2",
        "positions=alibi mask=causal",
        "variant=fused optimizer=muon mlp=2",
        "variant=full-rank heads=1 batch=1",
        "variant=two-step-tanh test=7"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        LogRow last[2];
        for (int again = 0; again < 2; again++) {
            Dataset s;
            int rows = 0;
            Model *m = built("reverse", kinds[k], &s);
            config_apply(&m->config, "steps=23 log-every=10");
            Result r = train(m, &s, count_rows, &rows);
            ck_assert_int_eq(rows, 3);
            ck_assert_int_eq(r.count, 3);
            ck_assert_int_eq(r.rows[2].step, 23);
            ck_assert_int_eq(r.steps, 23);
            last[again] = r.rows[2];
            free(r.rows);
            model_free(m);
        }
        ck_assert(!memcmp(&last[0], &last[1], sizeof *last));
    }
}

TEST(a_diverging_run_stops_and_says_so)
{
    Dataset s;
    Model *m = built("reverse", "optimizer=sgd lr=100000 steps=50", &s);
    Result r = train(m, &s, NULL, NULL);
    ck_assert(has_diverged(m, &r));
    ck_assert_int_lt(r.steps, 50);
    ck_assert(!isfinite(r.rows[r.count - 1].loss));
    ck_assert(isnan(r.test_accuracy));
    free(r.rows);
    model_free(m);
}

typedef struct Trial {
    const char *task, *more;
    bool solved;
} Trial;

/* At the settings that the tasks name, one seed; the six-seed version is in
   tests/solve.sh. One layer cannot do induction or mqar. */
static const Trial trials[] = {
    {"reverse", "steps=200", true},
    {"recall", "steps=250", true},
    {"sort", "steps=500", true},
    {"induction", "steps=400", true},
    {"induction", "steps=400 layers=1", false},
    {"mqar", "steps=500", true},
    {"mqar", "steps=500 layers=1", false},
};

static bool
watch_solved(void *solved, const Result *so_far)
{
    solved_update(solved, so_far);
    return true;
}

LONG_TESTS(standard_solves, !IN_DOUBLE * (int)(sizeof trials / sizeof *trials))
{
    Dataset s;
    Model *m = built(trials[_i].task, trials[_i].more, &s);
    Solved solved = {.threshold = m->config.threshold};
    Result r = train(m, &s, watch_solved, &solved);
    ck_assert_msg((solved.step > 0) == trials[_i].solved, "%s %s: accuracy %g",
                  trials[_i].task, trials[_i].more, r.test_accuracy);
    ck_assert((r.test_accuracy > 0.98) == trials[_i].solved);
    free(r.rows);
    model_free(m);
}

static int
rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The observer's gradient by a row of scores is that which the scores have
   where attention is taken in three steps. */
TEST(score_gradients_are_those_of_the_steps)
{
    enum { TOKENS = 6, SEQUENCES = 4, HEADS = 2, D = 8 };
    Dataset s;
    Model *m = built("reverse",
                     "d-model=8 heads=2 length=6 batch=4 norm=none mlp=0", &s);
    m->config.log = interned("scores");
    Observer o = observer_new(m, &s);
    observe(&o);
    ck_assert_str_eq(o.names.text[0], "score_gradient_median");
    Tape *t = tape_new(KEEP_GRADIENTS);
    Node *score = NULL;
    Node *w[7];
    for (int i = 0; i < m->count; i++)
        w[i] = leaf(t, m->weights[i].rows, m->weights[i].cols, UNBATCHED,
                    m->weights[i].value, m->weights[i].gradient);
    Attention a = m->attention;
    Node *x = embed(w[0], w[1],
                    (TokenIds){o.batch.ids, 1, o.batch.rows, SEQUENCES, 0});
    Node *q = split(matmul(x, w[2]), HEADS);
    Node *k = split(matmul(x, w[3]), HEADS);
    Node *v = split(matmul(x, w[4]), HEADS);
    score = scores(&a, q, k, 0.5); /* 1 / sqrt(d_k) */
    Node *out = matmul(apply_weights(&a, softmax(&a, score), v), w[5]);
    Node *loss =
        cross_entropy(matmul(add(x, out), w[6]), o.batch.targets, o.batch.rows);
    backward(loss);

    enum { ROWS = TOKENS * SEQUENCES };
    double norm[ROWS * HEADS], sum = 0;
    for (int i = 0; i < ROWS * HEADS; i++) {
        norm[i] = 0;
        for (int j = 0; j < TOKENS; j++)
            norm[i] += pow((double)score->gradient[i * TOKENS + j], 2);
        norm[i] = sqrt(norm[i]) * ROWS;
        sum += norm[i];
    }
    qsort(norm, ROWS * HEADS, sizeof *norm, rising);
    int middle = ROWS * HEADS / 2; /* of an even number */
    double wanted = (norm[middle - 1] + norm[middle]) / 2;
    double close = 1e-4 * wanted;
    ck_assert_double_eq_tol(o.values[0], wanted, close);
    ck_assert_double_eq_tol(o.values[1], sum / (ROWS * HEADS), close);
    tape_free(t);
    model_free(m);
}

/* Weights of attention that are no numbers are not certain ones. */
TEST(weights_that_are_no_numbers_have_no_entropy)
{
    Dataset s;
    Model *m = built("reverse", "d-model=8 heads=2 length=6 batch=4", &s);
    m->config.log = interned("attention+scores");
    *place_weights(m, 0).list->value = (real)NAN;
    Observer o = observer_new(m, &s);
    observe(&o);
    for (int i = 0; i < o.count; i++)
        if (strcmp(o.names.text[i], "score_deviation"))
            ck_assert_msg(isnan(o.values[i]), "%s: %g", o.names.text[i],
                          o.values[i]);
    model_free(m);
}

/* The mean share of many steps of random direction, with heads narrower and
   wider than the tokens, is what the log says of chance. */
TEST(a_random_step_has_the_share_of_chance)
{
    enum { STEPS = 200 };
    static const struct {
        const char *settings;
        double share;
    } shapes[] = {{"d-model=8 heads=2 length=6", 4 / 16.},
                  {"d-model=8 heads=1 d-k=12 d-v=12 length=6", 128 / 192.}};
    for (int shape = 0; shape < 2; shape++) {
        Dataset s;
        Model *m = built("reverse", shapes[shape].settings, &s);
        size_t size = m->parameters * sizeof *m->values;
        real *start = allocate(m->parameters, sizeof *start);
        Random r = random_stream(5, "direction");
        double mean = 0;
        memcpy(start, m->values, size);
        for (int step = 0; step < STEPS; step++) {
            for (size_t i = 0; i < m->parameters; i++)
                m->values[i] = start[i] + (real)(0.01 * random_normal(&r));
            GaugeMove g = gauge_move(m, 0, start, M_PIECE);
            mean += g.along / g.step / STEPS;
            ck_assert_double_eq_tol(g.by_chance, shapes[shape].share, 1e-12);
        }
        ck_assert_double_eq_tol(mean, shapes[shape].share, 0.02);
        free(start);
        model_free(m);
    }
}

/* Pairs of weights (LOOP_ROWS x k) that go around a closed loop. */
enum { LOOP_ROWS = 6, LOOP_ALL = LOOP_ROWS * 4 };
typedef struct Loop {
    double q[LOOP_ALL], k[LOOP_ALL], along_q[LOOP_ALL], along_k[LOOP_ALL];
} Loop;

static Loop
random_loop(void)
{
    Loop l;
    Random r = random_stream(7, "loop");
    for (int i = 0; i < LOOP_ALL; i++) {
        l.q[i] = random_normal(&r);
        l.k[i] = random_normal(&r);
        l.along_q[i] = 0.7 * random_normal(&r);
        l.along_k[i] = 0.7 * random_normal(&r);
    }
    return l;
}

static void
loop_at(const Loop *l, double angle, int weights, double *q, double *k)
{
    for (int i = 0; i < weights; i++) {
        q[i] = l->q[i] + sin(angle) * l->along_q[i];
        k[i] = l->k[i] + (1 - cos(angle)) * l->along_k[i];
    }
}

/* The largest entry by which W_Q' W_Q - W_K' W_K differs between two pairs. */
static double
gram_apart(const double *now_q, const double *now_k, const double *q,
           const double *k, int cols)
{
    double most = 0;
    for (int i = 0; i < cols * cols; i++) {
        double apart = 0;
        for (int n = 0; n < LOOP_ROWS; n++) {
            int a = n * cols + i / cols, b = n * cols + i % cols;
            apart += now_q[a] * now_q[b] - now_k[a] * now_k[b];
            apart -= q[a] * q[b] - k[a] * k[b];
        }
        most = fmax(most, fabs(apart));
    }
    return most;
}

/* Lifts a loop of M in so many steps. In between, the weights are multiplied by
   factors whose product is 1, which the lift must not notice. */
static Lift
lifted(const Loop *loop, int cols, int steps)
{
    int weights = LOOP_ROWS * cols;
    Lift l = lift_new(LOOP_ROWS, cols);
    loop_at(loop, 0, weights, l.now_q, l.now_k);
    lift_start(&l);
    for (int i = 1; i <= steps; i++) {
        loop_at(loop, 2 * 3.14159265358979 * i / steps, weights, l.now_q,
                l.now_k);
        double factor = i < steps ? 1 + 0.3 * sin(i) : 1;
        for (int e = 0; e < weights; e++) {
            l.now_q[e] *= factor;
            l.now_k[e] /= factor;
        }
        lift_follow(&l);
    }
    return l;
}

/* When M has gone around a loop, its lift is back at the same M with the same
   conserved matrix, but with W_Q A and W_K A^-T. A is the same for other steps,
   up to the square of their length; and for k = 1 it is 1. */
TEST(the_lift_of_a_loop_ends_turned)
{
    enum { STEPS = 500 };
    Loop loop = random_loop();
    double turned[3];
    for (int cols = 1; cols <= 4; cols++) {
        for (int fine = 0; fine < 3; fine++) {
            Lift l = lifted(&loop, cols, STEPS << fine);
            double m = 0, inverse = 0;
            for (int i = 0; i < LOOP_ROWS * LOOP_ROWS; i++) {
                double entry = 0;
                for (int e = 0; e < cols; e++) {
                    int a = i / LOOP_ROWS * cols + e;
                    int b = i % LOOP_ROWS * cols + e;
                    entry += l.q[a] * l.k[b] - loop.q[a] * loop.k[b];
                }
                m = fmax(m, fabs(entry));
            }
            for (int i = 0; i < cols * cols; i++) {
                double entry = i % (cols + 1) == 0 ? -1 : 0;
                for (int e = 0; e < cols; e++)
                    entry += l.to_q[e * cols + i / cols] *
                             l.to_k[e * cols + i % cols];
                inverse = fmax(inverse, fabs(entry));
            }
            ck_assert_double_lt(m, 1e-12);
            ck_assert_double_lt(inverse, 1e-10);
            ck_assert_double_lt(gram_apart(l.q, l.k, loop.q, loop.k, cols),
                                1e-11);
            turned[fine] = lift_turn(&l).angle;
            if (cols == 1)
                ck_assert_double_lt(turned[fine] + lift_turn(&l).stretch,
                                    1e-11);
        }
        if (cols == 1)
            continue;
        double coarse = turned[1] - turned[0], fine = turned[2] - turned[1];
        ck_assert_double_gt(turned[2], 0.05);
        ck_assert_double_eq_tol(coarse / fine, 4, 0.4);
    }
}

/* W_Q and W_K follow a target around a loop by gradient descent. Returns how
   far they have turned against the lift; *defect is how far the conserved
   matrix has moved. */
static double
descended(const Loop *loop, int cols, int steps, double *defect)
{
    enum { ROWS = LOOP_ROWS };
    double tq[LOOP_ALL], tk[LOOP_ALL], dq[LOOP_ALL], dk[LOOP_ALL], rate = 0.02;
    Lift l = lift_new(ROWS, cols);
    loop_at(loop, 0, ROWS * cols, l.now_q, l.now_k);
    lift_start(&l);
    for (int step = 1; step <= steps; step++) {
        loop_at(loop, 2 * 3.14159265358979 * step / steps, ROWS * cols, tq, tk);
        memset(dq, 0, sizeof dq);
        memset(dk, 0, sizeof dk);
        for (int i = 0; i < ROWS * ROWS; i++) {
            int a = i / ROWS * cols, b = i % ROWS * cols;
            double g = 0; /* of W_Q W_K' - T */
            for (int e = 0; e < cols; e++)
                g += l.now_q[a + e] * l.now_k[b + e] - tq[a + e] * tk[b + e];
            for (int e = 0; e < cols; e++) {
                dq[a + e] += rate * g * l.now_k[b + e];
                dk[b + e] += rate * g * l.now_q[a + e];
            }
        }
        for (int e = 0; e < ROWS * cols; e++) {
            l.now_q[e] -= dq[e];
            l.now_k[e] -= dk[e];
        }
        lift_follow(&l);
    }
    *defect = gram_apart(l.now_q, l.now_k, loop->q, loop->k, cols);
    Turn t = lift_turn(&l);
    return sqrt(t.angle * t.angle + t.stretch * t.stretch);
}

/* Gradient flow is its own lift: half the step, half the turn against it, and
   half the defect of what is conserved. */
TEST(descent_is_the_lift_up_to_its_steps)
{
    Loop loop = random_loop();
    double defect[2], turn[2];
    for (int fine = 0; fine < 2; fine++)
        turn[fine] = descended(&loop, 3, 4000 << fine, &defect[fine]);
    ck_assert_double_lt(turn[0], 0.01);
    ck_assert_double_gt(turn[1], 1e-6);
    ck_assert_double_eq_tol(turn[0] / turn[1], 2, 0.1);
    ck_assert_double_eq_tol(defect[0] / defect[1], 2, 0.1);
}

/* A step along the gauge of queries and keys is all gauge, and moves what is
   conserved; one that is the gradient's is none of it. */
TEST(a_step_along_the_gauge_is_told)
{
    enum { D = 8, HEADS = 2, K = 4, ALL = HEADS * K };
    Dataset s;
    Model *m =
        built("reverse",
              "d-model=8 heads=2 length=6 batch=4 optimizer=sgd lr=0.001", &s);
    size_t size = m->parameters * sizeof *m->values;
    real *start = allocate(m->parameters, sizeof *start), x[K][K];
    Weights w = place_weights(m, 0);
    real *q = w.list[0].value, *k = w.list[1].value;
    Random r = random_stream(3, "gauge");
    memcpy(start, m->values, size);
    GaugeMove g = gauge_move(m, 0, start, M_PIECE);
    ck_assert(g.conserved > 0 && g.change == 0 && g.step == 0);
    for (int i = 0; i < K * K; i++)
        x[i / K][i % K] = (real)(0.01 * random_normal(&r));
    const real *old_q = start + (q - m->values),
               *old_k = start + (k - m->values);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < K; j++)
            for (int l = 0; l < K; l++)
                for (int h = 0; h < ALL; h += K) {
                    q[i * ALL + h + j] += old_q[i * ALL + h + l] * x[l][j];
                    k[i * ALL + h + j] -= old_k[i * ALL + h + l] * x[j][l];
                }
    g = gauge_move(m, 0, start, M_PIECE);
    ck_assert_double_eq_tol(g.along / g.step, 1, 1e-4);
    ck_assert(g.change / g.conserved > 1e-6);
    memcpy(m->values, start, size);
    Batch b = batch_new(s.sizes, 4);
    Random stream = dataset_stream(&s, TRAINING);
    Tape *t = tape_new(COMPUTE);
    double accuracy;
    dataset_draw(&s, TRAINING, &stream, 0, &b);
    train_step(m, t, &b, &accuracy);
    g = gauge_move(m, 0, start, M_PIECE);
    ck_assert_double_lt(g.along / g.step, 1e-3);
    g = gauge_move(m, 0, start, N_PIECE);
    ck_assert_double_lt(g.along / g.step, 1e-3);
    ck_assert_double_lt(g.change / g.conserved, 1e-6);
}
