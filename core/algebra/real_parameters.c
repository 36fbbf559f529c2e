/* real_parameters.c - how many of a variant's parameters are really there.

   A row of the Jacobian comes from a backward pass: the gradient, by all
   weights, of a random combination of the outputs for random tokens, which
   differ from row to row. Rows are added until the rank stops growing. */
#include <math.h>
#include <stdlib.h>

#include "algebra/capture.h"
#include "algebra/cost.h"
#include "algebra/real_parameters.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "heart/tape.h"

/* Enough to show all parameters of a table by distance with 16 columns. */
enum { TOKENS = 16 };

/* The function that is measured: of one block, or of all together. */
typedef struct Layer {
    const Variant *variant;
    Attention attention;
    Weights weights; /* of one block */
    int stored;      /* the entries of the weights of all blocks */
    Tokens tokens;
    Random random;
    Tape *tape;
    size_t size;  /* the entries of x */
    real *values; /* of the weights, block by block */
    real *x;      /* the tokens, and behind them the gradient of the output that
                     a backward pass begins with */
} Layer;

/* Each row of x less its mean. */
static Node *
centred(const Layer *l, Node *x)
{
    int d = l->attention.d_model;
    real *less_mean = keep(x, matrix_entries(d, d));
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            less_mean[i * d + j] = (real)((i == j) - 1. / d);
    return matmul(x, leaf(l->tape, d, d, 1, less_mean, NULL));
}

/* LayerNorm(x) with all gains and biases 1. Others could be moved into the
   matrices that read it. */
static Node *
normed(const Layer *l, Node *x)
{
    int d = l->attention.d_model;
    real *ones = keep(x, (size_t)d);
    for (int j = 0; j < d; j++)
        ones[j] = 1;
    return add(rms_norm(centred(l, x), 1e-5),
               leaf(l->tape, 1, d, 1, ones, NULL));
}

/* Records forward of one block, or of all blocks with a residual around each.
   The backward pass then adds the gradients of the weights to `row`. */
static Node *
record_blocks(const Layer *l, real *row)
{
    Attention a = l->attention;
    int at = 0;
    Node **w = allocate((size_t)l->weights.count, sizeof *w);
    Node *x = leaf(l->tape, TOKENS, a.d_model, 1, l->x, NULL);
    Node *out = x;
    for (a.layer = 0; a.layer < a.layers; a.layer++) {
        for (int i = 0; i < l->weights.count; i++) {
            const Weight *m = &l->weights.list[i];
            w[i] = leaf(l->tape, m->rows, m->cols, 1, l->values + at, row + at);
            at += (int)entries_of(m);
        }
        Node *read = l->tokens == NORMED_TOKENS ? normed(l, x) : x;
        out = plugin_forward(l->variant, &a, read, read, w);
        if (a.layers > 1)
            out = add(x, out);
        x = out;
    }
    free(w);
    return l->tokens == NORMED_TOKENS ? centred(l, out) : out;
}

/* Draws the weights, block by block; those that start as constants are made
   random, too. */
static void
draw_values(Layer *l)
{
    int at = 0;
    while (at < l->stored)
        for (int i = 0; i < l->weights.count; i++) {
            const Weight *m = &l->weights.list[i];
            double deviation = fmax(m->deviation, 0.1);
            for (size_t k = 0; k < entries_of(m); k++) {
                double entry = m->mean + deviation * random_normal(&l->random);
                l->values[at] = (real)entry;
                at++;
            }
        }
}

/* Writes the next rows of the Jacobian, which are 0 before. Tokens and the
   gradients of the output have variance 1. */
static void
differentiate(void *layer, int rows, real *jacobian)
{
    Layer *l = layer;
    for (int i = 0; i < rows; i++) {
        for (size_t k = 0; k < 2 * l->size; k++)
            l->x[k] = (real)(sqrt(12) * (random_uniform(&l->random) - 0.5));
        Node *out = record_blocks(l, jacobian + (size_t)i * (size_t)l->stored);
        if (out->trained) {
            add_gradient(out, l->x + l->size);
            backward(out);
        }
        tape_reset(l->tape);
    }
}

/* Counts one block, and multiplies by their number; if a block recalls what
   another one computed, counts all blocks together. */
RealCount
real_count(const Variant *v, Attention a, Tokens tokens)
{
    RealCount c = {.found = {.last = NAN, .next = NAN}};
    Layer l = {
        .variant = v, .weights = weights_declared(v, &a), .tokens = tokens};
    int layers = a.layers > 1 ? a.layers : 1, block = 0;
    for (int i = 0; i < l.weights.count; i++)
        block += (int)entries_of(&l.weights.list[i]);
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
