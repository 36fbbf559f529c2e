/* model.c - the Transformer around a variant.

   x = embedding + positions; then, block by block, x += attention(x) and
   x += MLP(x), each on LayerNorm(x) where `norm` is pre; logits = x W. "No
   biases" is what makes every matrix of attention count for what it is. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elementary.h"
#include "fail.h"
#include "layers.h"
#include "model.h"

/* Lists one more matrix, with the mean and the standard deviation of its first
   numbers and its name. */
PRINTF(6, 7)
static void
put(Model *m, int rows, int cols, double mean, double deviation,
    const char *name, ...)
{
    va_list args;
    m->weights = grow(m->weights, m->count, &m->room, sizeof *m->weights);
    Weight *w = &m->weights[m->count++];
    va_start(args, name);
    vsnprintf(w->name, sizeof w->name, name, args);
    va_end(args);
    w->rows = rows;
    w->cols = cols;
    w->attention = false;
    w->mean = mean;
    w->deviation = deviation;
    m->parameters += (size_t)rows * (size_t)cols;
}

static void
put_norm(Model *m, const char *name)
{
    if (m->config.norm == NORM_NONE)
        return;
    put(m, 1, m->config.d_model, 1, 0, "%s.gain", name);
    put(m, 1, m->config.d_model, 0, 0, "%s.bias", name);
}

/* The variant's own matrices, as it declares them. */
static void
put_attention(Model *m, int block)
{
    Weights w = weights_declared(m->variant, &m->attention);
    for (int i = 0; i < w.count; i++) {
        const Declared *d = &w.list[i];
        put(m, d->rows, d->cols, 0, 1 / sqrt(d->rows), "block%d.attention.%s",
            block, d->name);
        m->weights[m->count - 1].attention = true;
        m->attention_parameters += (size_t)d->rows * (size_t)d->cols;
    }
    m->declared = w.count;
    weights_free(&w);
}

/* All weights, in the order in which model_forward uses them. Tokens and
   positions start at a standard deviation of 0.7 each: about 1 together. */
static void
list_weights(Model *m)
{
    const Config *c = &m->config;
    int d = c->d_model;
    put(m, m->sizes.vocabulary, d, 0, 0.7, "embedding");
    if (c->positions == POSITIONS_LEARNED)
        put(m, m->sizes.tokens, d, 0, 0.7, "positions");
    for (int i = 0; i < c->layers; i++) {
        char name[32];
        snprintf(name, sizeof name, "block%d.norm1", i);
        put_norm(m, name);
        put_attention(m, i);
        if (!c->mlp)
            continue;
        snprintf(name, sizeof name, "block%d.norm2", i);
        put_norm(m, name);
        put(m, d, c->mlp * d, 0, 1 / sqrt(d), "block%d.mlp.W_1", i);
        put(m, c->mlp * d, d, 0, 1 / sqrt((double)c->mlp * d),
            "block%d.mlp.W_2", i);
    }
    put_norm(m, "norm");
    put(m, d, m->sizes.classes, 0, 1 / sqrt(d), "unembedding");
}

/* Numbers for every weight. Those of one part ("block0.attention") share a
   stream and are drawn column by column, so that variants which slice the
   same columns differently start as the same function. */
static void
draw_weights(Model *m)
{
    Random r = {0};
    char part[sizeof m->weights->name] = "";
    real *value = m->values, *gradient = m->gradients;
    for (int k = 0; k < m->count; k++) {
        Weight *w = &m->weights[k];
        size_t size = (size_t)w->rows * (size_t)w->cols;
        const char *dot = strrchr(w->name, '.');
        size_t n = dot ? (size_t)(dot - w->name) : strlen(w->name);
        if (strncmp(part, w->name, n) || part[n]) {
            snprintf(part, sizeof part, "%.*s", (int)n, w->name);
            r = random_stream((uint64_t)m->config.seed, part);
        }
        w->value = value;
        w->gradient = gradient;
        for (int j = 0; j < w->cols; j++)
            for (int i = 0; i < w->rows; i++)
                value[(size_t)i * (size_t)w->cols + (size_t)j] =
                    (real)(w->mean + (w->deviation > 0
                                          ? w->deviation * random_normal(&r)
                                          : 0));
        value += size;
        gradient += size;
    }
}

/* PE(t, 2i) = sin(t / 10000^(2i / d_model)), PE(t, 2i + 1) = cos(the same):
   "Attention Is All You Need", section 3.5. */
static real *
sinusoids(int tokens, int d)
{
    real *table = allocate((size_t)tokens * (size_t)d, sizeof *table), *at;
    for (int i = 0; i < d / 2; i++) {
        double rate = decay(2. * i / d * logarithm(10000));
        for (int t = 0; t < tokens; t++) {
            at = table + (size_t)t * (size_t)d + 2 * i;
            at[0] = (real)sine(t * rate);
            at[1] = (real)cosine(t * rate);
        }
    }
    return table;
}

Attention
attention_of(const Config *c)
{
    return (Attention){.d_model = c->d_model,
                       .heads = c->heads ? c->heads : 1,
                       .d_k = c->d_k ? c->d_k : c->d_model,
                       .d_v = c->d_v ? c->d_v : c->d_model,
                       .kv_heads = c->kv_heads ? c->kv_heads : 1,
                       .latent = c->latent ? c->latent : c->d_model,
                       .causal = c->mask == MASK_CAUSAL};
}

Model *
model_new(const Config *c, Sizes sizes, const Variant *v)
{
    Model *m = allocate(1, sizeof *m);
    m->config = *c;
    m->sizes = sizes;
    m->variant = v;
    m->attention = attention_of(c);
    list_weights(m);
    m->values = allocate(m->parameters, sizeof *m->values);
    m->gradients = allocate(m->parameters, sizeof *m->gradients);
    m->nodes = allocate((size_t)m->count, sizeof *m->nodes);
    if (c->positions == POSITIONS_SINUSOIDAL)
        m->sinusoids = sinusoids(sizes.tokens, c->d_model);
    draw_weights(m);
    return m;
}

void
model_free(Model *m)
{
    if (m) {
        free(m->weights);
        free(m->values);
        free(m->gradients);
        free(m->sinusoids);
        free(m->nodes);
        free(m);
    }
}

real **
model_attention(const Model *m, int block)
{
    real **values = allocate((size_t)m->declared, sizeof *values);
    char prefix[32];
    int found = 0;
    snprintf(prefix, sizeof prefix, "block%d.attention.", block);
    for (int i = 0; i < m->count && found < m->declared; i++)
        if (!strncmp(m->weights[i].name, prefix, strlen(prefix)))
            values[found++] = m->weights[i].value;
    return values;
}

Canonical
model_form(const Model *m, int block)
{
    Weights w = weights_declared(m->variant, &m->attention);
    real **values = model_attention(m, block);
    Canonical c = canonical_form(m->variant, m->attention, &w, values);
    free(values);
    weights_free(&w);
    return c;
}

/* LayerNorm(x) where the model has it. Takes its weights from *w. */
static Node *
norm(Model *m, Node *x, Node ***w)
{
    if (m->config.norm == NORM_NONE)
        return x;
    *w += 2;
    return layer_norm(x, (*w)[-2], (*w)[-1]);
}

/* The variant at work; what it returns must be a token's width. */
static Node *
attention(Model *m, Node *x, Node **w)
{
    Node *out = m->variant->forward(&m->attention, x, x, w);
    if (!out || out->rows != x->rows || out->cols != x->cols)
        bug("%s: forward returned (%d x %d), and its tokens are (%d x %d)",
            m->config.variant, out ? out->rows : 0, out ? out->cols : 0,
            x->rows, x->cols);
    return out;
}

static Node *
block(Model *m, Node *x, Node ***w)
{
    Node *normed = norm(m, x, w);
    Node *out = attention(m, normed, *w);
    *w += m->declared;
    x = m->config.residual ? add(x, out) : out;
    if (!m->config.mlp)
        return x;
    normed = norm(m, x, w);
    *w += 2;
    return add(x, matmul(gelu(matmul(normed, (*w)[-2])), (*w)[-1]));
}

Node *
model_forward(Model *m, Tape *t, const Batch *b)
{
    Node **w = m->nodes;
    for (int i = 0; i < m->count; i++) {
        Weight *weight = &m->weights[i];
        m->nodes[i] = leaf(t, weight->rows, weight->cols, 1, weight->value,
                           weight->gradient);
    }
    Node *x = embed(*w++, b->ids, m->sizes.each, b->rows, b->sequences);
    if (m->config.positions == POSITIONS_LEARNED)
        x = add_positions(x, *w++);
    if (m->sinusoids)
        x = add_positions(x, leaf(t, m->sizes.tokens, m->config.d_model, 1,
                                  m->sinusoids, NULL));
    for (int i = 0; i < m->config.layers; i++)
        x = block(m, x, &w);
    x = norm(m, x, &w);
    return matmul(x, *w);
}
