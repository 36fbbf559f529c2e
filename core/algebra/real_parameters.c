/* real_parameters.c - how many of a variant's parameters are really there.

   A row of the Jacobian is a backward pass: the gradient, by all weights, of a
   random mean of the outputs for random tokens, of its own each. Rows are made
   until new ones say nothing new: their rank is that of the function. */
#include <math.h>
#include <stdlib.h>

#include "algebra/cost.h"
#include "algebra/real_parameters.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "heart/tape.h"

/* As many as a table by distance needs to show its parameters, if it has no
   more columns. */
enum { TOKENS = 16 };

/* What is measured: the weights' values, one after the other, block by block,
   and the tokens x, with the seed of a backward pass behind them. */
typedef struct Layer {
    const Variant *variant;
    Attention attention;
    Weights weights; /* of a block */
    int stored;      /* of all blocks */
    Random random;
    Tape *tape;
    size_t size; /* entries of x, and of the seed */
    real *values, *x;
} Layer;

static int
entries_of(const Weight *d)
{
    return d->rows * d->cols;
}

/* Records forward, or that of all blocks with a residual around each; the
   gradients of the weights go into `row`. */
static Node *
apply(const Layer *l, Tape *t, real *row)
{
    Attention a = l->attention;
    int at = 0;
    Node **w = allocate((size_t)l->weights.count, sizeof *w);
    Node *x = leaf(t, TOKENS, a.d_model, 1, l->x, NULL), *out = x;
    for (a.layer = 0; a.layer < a.layers; a.layer++) {
        for (int i = 0; i < l->weights.count; i++) {
            const Weight *m = &l->weights.list[i];
            w[i] = leaf(t, m->rows, m->cols, 1, l->values + at, row + at);
            at += entries_of(m);
        }
        out = plugin_forward(l->variant, &a, x, x, w);
        if (a.layers > 1)
            out = x = add(x, out);
    }
    free(w);
    return out;
}

/* The weights, block by block, each at random: those that start as constants
   too. */
static void
draw_values(Layer *l)
{
    real *to = l->values;
    while (to < l->values + l->stored)
        for (int i = 0; i < l->weights.count; i++) {
            const Weight *m = &l->weights.list[i];
            double deviation = fmax(m->deviation, 0.1);
            for (int k = 0; k < entries_of(m); k++)
                *to++ = (real)(m->mean + deviation * random_normal(&l->random));
        }
}

/* The next rows of the Jacobian, zero before: tokens and seeds of variance 1.
 */
static void
differentiate(void *layer, int rows, real *jacobian)
{
    Layer *l = layer;
    for (int i = 0; i < rows; i++) {
        for (size_t k = 0; k < 2 * l->size; k++)
            l->x[k] = (real)(sqrt(12) * (random_uniform(&l->random) - 0.5));
        Node *out = apply(l, l->tape, jacobian + (size_t)i * (size_t)l->stored);
        if (out->trained) {
            add_gradient(out, l->x + l->size);
            backward(out);
        }
        tape_reset(l->tape);
    }
}

RealCount
real_count(const Variant *v, Attention a)
{
    RealCount c = {.found = {.last = NAN, .next = NAN}};
    Layer l = {.variant = v, .weights = weights_declared(v, &a)};
    int layers = a.layers > 1 ? a.layers : 1, block = 0;
    for (int i = 0; i < l.weights.count; i++)
        block += entries_of(&l.weights.list[i]);
    c.stored = layers * block;
    if (!block)
        return c;
    a.causal |= v->calls == CAUSAL_ONLY;
    int together = cost_of(v, a, TOKENS, 0).recalls ? layers : 1;
    a.layers = together;
    l.attention = a;
    l.stored = together * block;
    l.size = (size_t)TOKENS * (size_t)a.d_model;
    l.random = random_stream(17, "real");
    l.values = allocate((size_t)l.stored, sizeof *l.values);
    l.x = allocate(2 * l.size, sizeof *l.x);
    l.tape = tape_new(0);
    draw_values(&l);
    c.found = matrix_rank(differentiate, &l, l.stored + l.stored / 8 + 64,
                          l.stored, RANK_ROUNDING);
    c.real = c.found.rank < 0 ? -1 : layers / together * c.found.rank;
    tape_free(l.tape);
    free(l.x);
    free(l.values);
    free(l.weights.list);
    return c;
}
