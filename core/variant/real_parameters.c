/* real_parameters.c - how many of a variant's parameters are really there.

   A row of the Jacobian is a backward pass: the gradient, by all weights, of a
   random mean of the outputs for random tokens. A few more rows than weights,
   each from tokens of its own, and the rank is that of the function. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "math/random.h"
#include "tape/tape.h"
#include "variant/real_parameters.h"

/* As many as a table by distance needs to show its parameters, if it has no
   more columns. */
enum { TOKENS = 16 };

static void
draw(Random *r, real *to, size_t count, double mean, double deviation)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (real)(mean + deviation * random_normal(r));
}

/* What is measured: the weights' values, one after the other, and the tokens x
   and y, with the seed of a backward pass behind them. */
typedef struct Layer {
    const Variant *variant;
    Attention attention;
    const Weights *weights;
    int keys;
    real *values, *x, *y, *seed;
} Layer;

static int
entries_of(const Declared *d)
{
    return d->rows * d->cols;
}

/* Records forward; the gradients of the weights go into `row`. */
static Node *
apply(Layer *l, Tape *t, real *row)
{
    int d = l->attention.d_model, at = 0;
    Node **w = allocate((size_t)l->weights->count, sizeof *w);
    for (int i = 0; i < l->weights->count; i++) {
        const Declared *m = &l->weights->list[i];
        w[i] = leaf(t, m->rows, m->cols, 1, l->values + at, row + at);
        at += entries_of(m);
    }
    Node *x = leaf(t, TOKENS, d, 1, l->x, NULL), *y = x;
    if (l->keys)
        y = leaf(t, l->keys, d, 1, l->y, NULL);
    Node *out = plugin_forward(l->variant, &l->attention, x, y, w);
    free(w);
    return out;
}

/* Fills the Jacobian (rows x stored), zero before. */
static void
differentiate(Layer *l, real *jacobian, int rows, int stored)
{
    Random r = random_stream(17, "real");
    size_t d = (size_t)l->attention.d_model, size = TOKENS * d;
    size_t all = 2 * size + (size_t)l->keys * d;
    int at = 0;
    for (int i = 0; i < l->weights->count; i++) { /* constants moved too */
        const Declared *m = &l->weights->list[i];
        draw(&r, l->values + at, (size_t)entries_of(m), m->mean,
             fmax(m->deviation, 0.1));
        at += entries_of(m);
    }
    l->x = allocate(all, sizeof *l->x);
    l->seed = l->x + size;
    l->y = l->seed + size;
    Tape *measured = tape_measure();
    apply(l, measured, jacobian);
    Tape *t = tape_fitting(measured);
    for (int i = 0; i < rows; i++) {
        draw(&r, l->x, all, 0, 1);
        Node *out = apply(l, t, jacobian + (size_t)i * (size_t)stored);
        if (out->trained)
            backward_from(out, l->seed);
        tape_reset(t);
    }
    tape_free(measured);
    tape_free(t);
    free(l->x);
}

/* The rank without the columns of a matrix is that of what is left of it where
   they are 0: of the null space's directions, those that leave that matrix as
   it is. So it falls by the entries of the matrix, less those directions of its
   own in which the rest can undo what it does. */
static int
fall_of(const real *null, int entries, int wide, double rounding)
{
    int tall = entries > wide ? entries : wide;
    int n = entries > wide ? wide : entries;
    size_t size = (size_t)tall * (size_t)n;
    double largest = 0; /* beside 1, the columns being as long */
    for (size_t i = 0; i < size; i++)
        largest = fmax(largest, fabs((double)null[i]));
    if (largest <= rounding)
        return entries;
    real *a = allocate(size, sizeof *a);
    Matrix m = matrix(null, entries, wide, wide);
    copy_matrix(a, entries > wide ? m : transposed(m), n);
    Rank r = matrix_rank(a, tall, n, rounding, NULL);
    free(a);
    return r.rank < 0 ? -1 : entries - r.rank;
}

RealCount
real_count(const Variant *v, Attention a, const Weights *w, int keys,
           bool alone)
{
    RealCount c = {.found = {.last = NAN, .next = NAN}};
    Layer l = {.variant = v, .attention = a, .weights = w, .keys = keys};
    for (int i = 0; i < w->count; i++)
        c.stored += entries_of(&w->list[i]);
    if (!c.stored)
        return c;
    int rows = c.stored + c.stored / 8 + 16, at = 0;
    real *null = NULL,
         *j = allocate((size_t)rows * (size_t)c.stored, sizeof *j);
    l.values = allocate((size_t)c.stored, sizeof *l.values);
    differentiate(&l, j, rows, c.stored);
    c.found =
        matrix_rank(j, rows, c.stored, RANK_ROUNDING, alone ? &null : NULL);
    if (alone && c.found.rank >= 0)
        c.alone = allocate((size_t)w->count, sizeof *c.alone);
    int wide = c.stored - c.found.rank;
    for (int i = 0; i < w->count && c.alone; i++) {
        int entries = entries_of(&w->list[i]);
        c.alone[i] =
            fall_of(null ? null + (size_t)at * (size_t)wide : NULL, entries,
                    wide, RANK_ROUNDING / fmin(c.found.last, 1));
        at += entries;
    }
    free(null);
    free(l.values);
    free(j);
    return c;
}

void
real_free(RealCount *r)
{
    free(r->alone);
    r->alone = NULL;
}
