/* model.c - the Transformer around a variant.

   x = embedding + positions; then, block by block, x += attention(x, x) and
   x += MLP(x), each on LayerNorm(x) where `norm` is pre; logits = x W. Without
   biases every matrix of attention counts for what it is. First it lists its
   weights, each variant its own; then it draws them; then it is called. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heart/layers.h"
#include "heart/model.h"
#include "heart/optimizer.h"

/* What a matrix points to before it has memory: it is to be trained, and nobody
   looks there. */
static real outlined;

int
list_weight(Model *m, int rows, int cols, double mean, double deviation,
            const char *name, ...)
{
    va_list args;
    m->weights = grow(m->weights, m->count, &m->capacity, sizeof *m->weights);
    Weight *w = &m->weights[m->count++];
    *w = (Weight){.rows = rows,
                  .cols = cols,
                  .mean = mean,
                  .deviation = deviation,
                  .value = &outlined,
                  .gradient = &outlined};
    va_start(args, name);
    vsnprintf(w->name, sizeof w->name, name, args);
    va_end(args);
    m->parameters += matrix_entries(rows, cols);
    return m->count - 1;
}

int
list_norm(Model *m, const char *block, const char *norm)
{
    int d = m->attention.d_model;
    if (m->config.norm == NORM_NONE)
        return -1;
    int gain = list_weight(m, 1, d, 1, 0, "%s%s.gain", block, norm);
    list_weight(m, 1, d, 0, 0, "%s%s.bias", block, norm);
    return gain;
}

int
list_attention(Model *m, const Variant *v, Attention a, const char *block)
{
    bool cross = a.place == CROSS;
    m->place = grow(m->place, m->places, &m->place_capacity, sizeof *m->place);
    ModelPlace *p = &m->place[m->places];
    Weights w = weights_declared(v, &a);
    *p = (ModelPlace){.variant = v, .attention = a, .declared = w.count};
    snprintf(p->name, sizeof p->name, "%s.%s", block,
             cross ? "cross" : "attention");
    p->norm = list_norm(m, block, cross ? ".norm_cross" : ".norm1");
    p->weights = m->count;
    for (const Declared *d = w.list; d < w.list + w.count; d++) {
        int i = list_weight(m, d->rows, d->cols, d->mean, d->deviation, "%s.%s",
                            p->name, d->name);
        m->weights[i].attention = true;
    }
    weights_free(&w);
    return m->places++;
}

void
list_mlp(Model *m, ModelLayer *layer, const char *block)
{
    int d = m->attention.d_model;
    int wide = (int)matrix_entries(m->config.mlp, d);
    if (!wide)
        return;
    layer->norm = list_norm(m, block, ".norm2");
    layer->mlp = list_weight(m, d, wide, 0, 1 / sqrt(d), "%s.mlp.W_1", block);
    list_weight(m, wide, d, 0, 1 / sqrt(wide), "%s.mlp.W_2", block);
}

/* At a standard deviation of 0.7 each, tokens and positions are about 1
   together. */
void
list_embedding(Model *m)
{
    int d = m->attention.d_model;
    m->embedding = list_weight(m, m->sizes.vocabulary, d, 0, 0.7, "embedding");
    m->positions = m->config.positions == POSITIONS_LEARNED
                       ? list_weight(m, m->sizes.tokens, d, 0, 0.7, "positions")
                       : -1;
}

void
list_unembedding(Model *m)
{
    int d = m->attention.d_model;
    m->norm = list_norm(m, "", "norm");
    m->unembedding =
        list_weight(m, d, m->sizes.classes, 0, 1 / sqrt(d), "unembedding");
}

static void
list_all(Model *m)
{
    list_embedding(m);
    for (int i = 0; i < m->config.layers; i++) {
        char block[20];
        Attention a = m->attention;
        a.layer = i;
        snprintf(block, sizeof block, "block%d", i);
        m->layers[i].self = list_attention(m, m->variant, a, block);
        list_mlp(m, &m->layers[i], block);
    }
    list_unembedding(m);
}

Model *
model_outline(const Config *c, Sizes sizes, const Variant *v,
              const Architecture *architecture)
{
    Model *m = allocate(1, sizeof *m);
    m->config = *c;
    m->sizes = sizes;
    m->architecture = architecture;
    m->variant = v;
    m->attention = attention_of(c);
    m->attention.place = SELF;
    m->attention.layers = c->layers;
    m->update = adam;
    m->layers = allocate((size_t)c->layers, sizeof *m->layers);
    architecture->list(m);
    m->nodes = allocate((size_t)m->count + FIXED, sizeof *m->nodes);
    return m;
}

/* The matrices of one part ("block0.attention") share a stream and are drawn
   column by column, so that variants which slice the same columns differently
   start as the same function. */
void
model_start(Model *m)
{
    Random r = {0};
    char part[sizeof m->weights->name] = "";
    real *value = m->values = allocate_aligned(m->parameters, sizeof *value);
    m->gradients = allocate_aligned(m->parameters, sizeof *value);
    for (Weight *w = m->weights; w < m->weights + m->count; w++) {
        const char *dot = strrchr(w->name, '.');
        size_t n = dot ? (size_t)(dot - w->name) : strlen(w->name);
        if (strncmp(part, w->name, n) || part[n]) {
            snprintf(part, sizeof part, "%.*s", (int)n, w->name);
            r = random_stream((uint64_t)m->config.seed, part);
        }
        w->value = value;
        w->gradient = m->gradients + (value - m->values);
        for (int j = 0; j < w->cols; j++)
            for (int i = 0; i < w->rows; i++)
                value[(size_t)i * (size_t)w->cols + (size_t)j] =
                    (real)(w->mean + (w->deviation > 0
                                          ? w->deviation * random_normal(&r)
                                          : 0));
        value += (size_t)w->rows * (size_t)w->cols;
    }
}

void
model_free(Model *m)
{
    if (!m)
        return;
    for (int i = 0; i < FIXED; i++)
        free(m->fixed[i].at);
    free(m->weights);
    free(m->place);
    free(m->layers);
    free(m->encoder);
    free(m->values);
    free(m->gradients);
    free(m->nodes);
    free(m);
}

Node *
model_tokens(Model *m, const int *ids, int rows, int sequences, int positions,
             int first)
{
    Node *x =
        embed(m->nodes[m->embedding], ids, m->sizes.each, rows, sequences);
    return positions < 0 ? x : add_positions(x, m->nodes[positions], first);
}

Node *
model_norm(Model *m, Node *x, int gain)
{
    return gain < 0 ? x : layer_norm(x, m->nodes[gain], m->nodes[gain + 1]);
}

Node *
model_attend(Model *m, int place, Node *x, Node *y)
{
    const ModelPlace *p = &m->place[place];
    Attention a = p->attention;
    Node *normed = model_norm(m, x, p->norm);
    Keeper *k = a.place == ENCODER ? NULL : x->tape->keeper;
    y = y ? y : normed;
    if (k)
        k->enter(k, &a, place, normed, y);
    Node *out =
        plugin_forward(p->variant, &a, normed, y, m->nodes + p->weights);
    if (k)
        k->leave(k);
    if (m->attended)
        m->attended(m->to, normed, y, out);
    return m->config.residual ? add(x, out) : out;
}

Node *
model_mlp(Model *m, const ModelLayer *layer, Node *x)
{
    if (!m->config.mlp)
        return x;
    Node *wide = matmul(model_norm(m, x, layer->norm), m->nodes[layer->mlp]);
    return add(x, matmul(gelu(wide), m->nodes[layer->mlp + 1]));
}

static Node *
logits(Model *m, Tape *t, const Batch *b)
{
    const Keeper *k = t->keeper;
    Node *x = model_tokens(m, b->ids, b->rows, b->sequences, m->positions,
                           k ? k->position : 0);
    for (const ModelLayer *l = m->layers; l < m->layers + m->config.layers; l++)
        x = model_mlp(m, l, model_attend(m, l->self, x, NULL));
    return matmul(model_norm(m, x, m->norm), m->nodes[m->unembedding]);
}

const Architecture one_sequence = {.list = list_all, .logits = logits};

Node *
model_forward(Model *m, Tape *t, const Batch *b)
{
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        m->nodes[i] = leaf(t, w->rows, w->cols, 1, w->value,
                           t->keeper ? NULL : w->gradient);
        m->nodes[i]->arguments = w->name;
    }
    for (const Matrix *f = m->fixed; f < m->fixed + FIXED; f++)
        if (f->cols)
            m->nodes[m->count + (f - m->fixed)] =
                leaf(t, f->rows, f->cols, 1, f->at, NULL);
    return m->architecture->logits(m, t, b);
}

Node *
model_loss(const Model *m, Node *logits, const int *targets, int counted)
{
    return m->architecture->loss
               ? m->architecture->loss(m, logits, targets, counted)
               : cross_entropy(logits, targets, counted);
}

double
model_right(const Model *m, const Node *logits, const int *targets)
{
    return m->architecture->right ? m->architecture->right(m, logits, targets)
                                  : correct_rows(logits, targets);
}

void
model_add_gradients(Model *m)
{
    for (int i = 0; i < m->count; i++)
        m->nodes[i]->touched = true;
}
