/* referee.c - can a variant's matrices be fitted to another variant's outputs?

   qkv-referee STARTS NAME ...: for each ordered pair A, B of these variants it
   draws A's matrices at random and looks for matrices of B with the same
   output, from STARTS random starts: Levenberg and Marquardt's method in
   double, with the gradients of the tape. It knows nothing of forms, ranks or
   products: tests/referee.sh compares what it finds with what `derive` says. It
   prints A, B, "fits" or "differs", and the residual, relative to the outputs:
   of the best start, on tokens that it was not fitted to if it fits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/find_plugin.h"
#include "config/settings.h"
#include "heart/config.h"
#include "tasks/tasks.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "heart/tape.h"

/* Heads and groups of heads differ in number; a latent is wider than a head and
   narrower than all heads. */
#define SHAPE "d-model=6 heads=2 kv-heads=1 d-k=2 d-v=2 latent=3"
enum {
    D = 6,
    X = 4,
    Y = 5,
    FITTED = 12,
    FRESH = 3,
    SEQUENCES = FITTED + FRESH
};
enum { OUTPUTS = FITTED * X * D, STEPS = 200 };

typedef struct Layer {
    const Variant *variant;
    Attention attention;
    Weights weights;
    int n;        /* entries of all matrices, */
    real *values; /* one matrix after the other */
    real *gradient;
} Layer;

static real tokens[SEQUENCES][(X + Y) * D];

static Layer
layer_of(const char *name)
{
    Layer l = {.variant = plugin_open(name).variant};
    Config c = config_start();
    config_apply(&c, SHAPE);
    config_resolve(&c, variant_uses(l.variant));
    l.attention = attention_of(&c, l.variant->shape);
    l.attention.layers = 1;
    l.weights = weights_declared(l.variant, &l.attention);
    for (int i = 0; i < l.weights.count; i++)
        l.n += l.weights.list[i].rows * l.weights.list[i].cols;
    l.values = allocate((size_t)l.n + 1, sizeof(real));
    l.gradient = allocate((size_t)l.n + 1, sizeof(real));
    return l;
}

/* Random matrices, `share` times as large as a model's are at first; those that
   start as constants are random, too. */
static void
draw(Layer *l, double share, Random *r)
{
    real *at = l->values;
    for (int i = 0; i < l->weights.count; i++) {
        const Weight *w = &l->weights.list[i];
        double deviation = share * fmax(w->deviation, 0.3);
        for (int k = 0; k < w->rows * w->cols; k++)
            *at++ = (real)(w->mean + deviation * random_normal(r));
    }
}

static Node *
run(const Layer *l, Tape *t, int sequence)
{
    Node **w = allocate((size_t)l->weights.count + 1, sizeof *w);
    int at = 0;
    for (int i = 0; i < l->weights.count; i++) {
        const Weight *m = &l->weights.list[i];
        w[i] = leaf(t, m->rows, m->cols, UNBATCHED, l->values + at,
                    l->gradient + at);
        at += m->rows * m->cols;
    }
    Node *x = leaf(t, X, D, UNBATCHED, tokens[sequence], NULL);
    Node *y = leaf(t, Y, D, UNBATCHED, tokens[sequence] + X * D, NULL);
    Attention a = l->attention;
    Node *out = plugin_forward(l->variant, &a, x, y, w);
    free(w);
    return out;
}

/* Outputs of the sequences from `from` on, less `wanted` if that is not NULL;
   returns the sum of squares. */
static double
residuals(const Layer *l, int from, int count, const double *wanted, double *to)
{
    double sum = 0;
    Tape *t = tape_new(COMPUTE);
    for (int s = 0; s < count; s++, tape_reset(t)) {
        const Node *out = run(l, t, from + s);
        for (int i = 0; i < X * D; i++) {
            int at = s * X * D + i;
            to[at] = (double)out->value[i] - (wanted ? wanted[at] : 0);
            sum += to[at] * to[at];
        }
    }
    tape_free(t);
    return sum;
}

/* J (OUTPUTS x n): a backward pass for each output. */
static void
jacobian(const Layer *l, double *j)
{
    Tape *t = tape_new(COMPUTE);
    for (int k = 0; k < OUTPUTS; k++, tape_reset(t)) {
        real one[X * D] = {0};
        one[k % (X * D)] = 1;
        memset(l->gradient, 0, (size_t)l->n * sizeof(real));
        Node *out = run(l, t, k / (X * D));
        if (out->trained) {
            add_gradient(out, one);
            backward(out);
        }
        for (int i = 0; i < l->n; i++)
            j[k * l->n + i] = (double)l->gradient[i];
    }
    tape_free(t);
}

/* a (n x n, symmetric) x = b by Cholesky; false if a is not positive. */
static bool
solve(double *a, double *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            double sum = a[i * n + k];
            for (int e = 0; e < k; e++)
                sum -= a[i * n + e] * a[k * n + e];
            if (i == k && !(sum > 0))
                return false;
            a[i * n + k] = i == k ? sqrt(sum) : sum / a[k * n + k];
        }
    for (int i = 0; i < n; i++) {
        for (int e = 0; e < i; e++)
            b[i] -= a[i * n + e] * b[e];
        b[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int e = i + 1; e < n; e++)
            b[i] -= a[e * n + i] * b[e];
        b[i] /= a[i * n + i];
    }
    return true;
}

/* One start: returns the residual, relative to `size`. */
static double
fitted(Layer *l, const double *wanted, double size)
{
    int n = l->n;
    double *j = allocate((size_t)OUTPUTS * n + 1, sizeof *j);
    double *r = allocate(2 * OUTPUTS, sizeof *r), *tried = r + OUTPUTS;
    double *jj = allocate(2 * (size_t)n * n + 2 * n + 1, sizeof *jj);
    double *a = jj + n * n, *g = a + n * n, *step = g + n;
    real *old = allocate((size_t)n + 1, sizeof *old);
    double damping = 10, now = residuals(l, 0, FITTED, wanted, r), before = now;
    for (int steps = 0; steps < STEPS && n; steps++) {
        if (steps % 10 == 9) { /* it no longer falls */
            if (now > 1e-10 * size && now > 0.95 * before)
                break;
            before = now;
        }
        if (now < 1e-22 * size)
            break;
        jacobian(l, j);
        memset(jj, 0, (size_t)n * n * sizeof *jj);
        memset(g, 0, (size_t)n * sizeof *g);
        for (int k = 0; k < OUTPUTS; k++)
            for (int p = 0; p < n; p++) {
                double x = j[k * n + p];
                g[p] -= x * r[k];
                if (x != 0)
                    for (int q = 0; q <= p; q++)
                        jj[p * n + q] += x * j[k * n + q];
            }
        memcpy(old, l->values, (size_t)n * sizeof *old);
        bool better = false;
        for (int try = 0; try < 10 && !better; try++) {
            memcpy(a, jj, (size_t)n * n * sizeof *a);
            memcpy(step, g, (size_t)n * sizeof *step);
            for (int p = 0; p < n; p++)
                a[p * n + p] += damping * (jj[p * n + p] + 1e-3);
            double then = INFINITY;
            if (solve(a, step, n)) {
                for (int p = 0; p < n; p++)
                    l->values[p] = (real)((double)old[p] + step[p]);
                then = residuals(l, 0, FITTED, wanted, tried);
            }
            better = then < now;
            damping *= better ? 0.4 : 4;
            if (better) {
                now = then;
                memcpy(r, tried, OUTPUTS * sizeof *r);
            }
        }
        if (!better) {
            memcpy(l->values, old, (size_t)n * sizeof *old);
            break;
        }
        damping = fmax(damping, 1e-14);
    }
    free(j);
    free(r);
    free(jj);
    free(old);
    return sqrt(now / size);
}

static void
compare(const char *from, const char *to, int starts)
{
    Layer a = layer_of(from), b = layer_of(to);
    Random r = random_stream(3, from);
    double *wanted = allocate(SEQUENCES * X * D, sizeof *wanted);
    double *left = allocate(SEQUENCES * X * D, sizeof *left), best = INFINITY;
    draw(&a, 1, &r);
    double size = residuals(&a, 0, SEQUENCES, NULL, wanted);
    int start = 0;
    for (; start < starts && best > 1e-7; start++) {
        draw(&b, start % 2 ? 0.3 : 0.8, &r);
        double off = fitted(&b, wanted, size);
        if (off < 1e-7)
            off = sqrt(residuals(&b, FITTED, FRESH, wanted + OUTPUTS, left) /
                       size);
        best = fmin(best, off);
    }
    printf("%s\t%s\t%s\t%.1e\t%d\n", from, to, best < 1e-6 ? "fits" : "differs",
           best, start);
    fflush(stdout);
    free(wanted);
    free(left);
}

int
main(int argc, char **argv)
{
    Random r = random_stream(1, "referee");
    for (int s = 0; s < SEQUENCES; s++)
        for (int i = 0; i < (X + Y) * D; i++)
            tokens[s][i] = (real)random_normal(&r);
    int starts = argc > 1 ? atoi(argv[1]) : 20;
    for (int i = 2; i < argc; i++)
        for (int k = 2; k < argc; k++)
            if (i != k)
                compare(argv[i], argv[k], starts);
    return 0;
}
