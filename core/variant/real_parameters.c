/* real_parameters.c - how many of a variant's parameters are really there.

   A row of the Jacobian is a backward pass: the gradient, by all weights, of a
   random mean of the outputs for random tokens, of its own each. Rows are made
   until new ones say nothing new: their rank is that of the function. */
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
    int keys, stored;
    Random random;
    Tape *measured, *tape;
    size_t drawn; /* numbers in x, seed and y */
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

/* Random weights, and tapes that fit. */
static void
layer_open(Layer *l)
{
    size_t d = (size_t)l->attention.d_model, size = TOKENS * d;
    int at = 0;
    l->random = random_stream(17, "real");
    l->values = allocate((size_t)l->stored, sizeof *l->values);
    for (int i = 0; i < l->weights->count; i++) { /* constants moved too */
        const Declared *m = &l->weights->list[i];
        draw(&l->random, l->values + at, (size_t)entries_of(m), m->mean,
             fmax(m->deviation, 0.1));
        at += entries_of(m);
    }
    l->drawn = 2 * size + (size_t)l->keys * d;
    l->x = allocate(l->drawn, sizeof *l->x);
    l->seed = l->x + size;
    l->y = l->seed + size;
    real *row = allocate((size_t)l->stored, sizeof *row);
    l->measured = tape_measure();
    apply(l, l->measured, row);
    l->tape = tape_fitting(l->measured);
    free(row);
}

static void
layer_close(Layer *l)
{
    tape_free(l->measured);
    tape_free(l->tape);
    free(l->x);
    free(l->values);
}

/* The next rows of the Jacobian, zero before. */
static void
differentiate(void *layer, int rows, real *jacobian)
{
    Layer *l = layer;
    for (int i = 0; i < rows; i++) {
        draw(&l->random, l->x, l->drawn, 0, 1);
        Node *out = apply(l, l->tape, jacobian + (size_t)i * (size_t)l->stored);
        if (out->trained)
            backward_from(out, l->seed);
        tape_reset(l->tape);
    }
}

typedef struct Rows {
    const real *at;
    int wide;
} Rows;

static void
next_rows(void *more, int count, real *to)
{
    Rows *r = more;
    size_t size = (size_t)count * (size_t)r->wide;
    memcpy(to, r->at, size * sizeof *to);
    r->at += size;
}

/* The rank without the columns of a matrix is that of what is left of it where
   they are 0: of the null space's directions, those that leave that matrix as
   it is. So it falls by the entries of the matrix, less those directions of its
   own in which the rest can undo what it does. */
static int
fall_of(const real *null, int entries, int wide, double rounding)
{
    Rows all = {null, wide};
    double largest = 0; /* beside 1 */
    for (int i = 0; i < entries * wide; i++)
        largest = fmax(largest, fabs((double)null[i]));
    if (largest <= rounding)
        return entries;
    Rank r = matrix_rank(next_rows, &all, entries, wide, rounding, NULL);
    return r.rank < 0 ? -1 : entries - r.rank;
}

RealCount
real_count(const Variant *v, Attention a, const Weights *w, int keys,
           bool alone)
{
    RealCount c = {.found = {.last = NAN, .next = NAN}};
    Layer l = {.variant = v, .attention = a, .weights = w, .keys = keys};
    real *null = NULL;
    for (int i = 0; i < w->count; i++)
        c.stored += entries_of(&w->list[i]);
    l.stored = c.stored;
    if (!c.stored)
        return c;
    layer_open(&l);
    c.found = matrix_rank(differentiate, &l, c.stored + c.stored / 8 + 64,
                          c.stored, RANK_ROUNDING, alone ? &null : NULL);
    layer_close(&l);
    if (alone && c.found.rank >= 0)
        c.alone = allocate((size_t)w->count, sizeof *c.alone);
    int at = 0, wide = c.stored - c.found.rank;
    for (int i = 0; i < w->count && c.alone; i++) {
        int entries = entries_of(&w->list[i]);
        c.alone[i] = fall_of(null + (size_t)at * (size_t)wide, entries, wide,
                             RANK_ROUNDING / fmin(c.found.last, 1));
        at += entries;
    }
    free(null);
    return c;
}

void
real_free(RealCount *r)
{
    free(r->alone);
    r->alone = NULL;
}
