/* model.c - the Transformer around a variant.

   x = embedding + positions; then, block by block, x += attention(x, x) and
   x += MLP(x), each on LayerNorm(x) where `norm` is pre; logits = x W. Without
   biases every matrix of attention counts for what it is. The equation is
   written once, and asks for its weights as it goes: the first pass lists them,
   each variant its own; then they are drawn; then it is called. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heart/layers.h"
#include "heart/model.h"

Node *
model_weight(Model *m, int rows, int cols, double mean, double deviation,
             const char *name, ...)
{
    if (!m->listing)
        return m->nodes[m->next.weight++];
    va_list args;
    m->weights = grow(m->weights, m->count, &m->capacity, sizeof *m->weights);
    Weight *w = &m->weights[m->count++];
    *w = (Weight){
        .rows = rows, .cols = cols, .mean = mean, .deviation = deviation};
    va_start(args, name);
    vsnprintf(w->name, sizeof w->name, name, args);
    va_end(args);
    m->parameters += matrix_entries(rows, cols);
    return leaf(m->listing, rows, cols, 1, NULL, NULL);
}

/* At a standard deviation of 0.7 each, tokens and positions are about 1
   together. */
Node *
model_table(Model *m, int rows, const char *name)
{
    return model_weight(m, rows, m->attention.d_model, 0, 0.7, "%s", name);
}

const char *
model_block(Model *m, const char *stack, int i)
{
    if (m->listing)
        snprintf(m->block, sizeof m->block, "%s%d", stack, i);
    return m->block;
}

Node *
model_norm(Model *m, Node *x, const char *block, const char *name)
{
    int d = m->attention.d_model;
    if (m->config.norm == NORM_NONE)
        return x;
    Node *gain = model_weight(m, 1, d, 1, 0, "%s%s.gain", block, name);
    Node *bias = model_weight(m, 1, d, 0, 0, "%s%s.bias", block, name);
    return layer_norm(x, gain, bias);
}

/* A place, with the weights that its variant declares. */
static void
list_place(Model *m, const Variant *v, Attention a, const char *block)
{
    Weights w = weights_declared(v, &a);
    m->place = grow(m->place, m->places, &m->place_capacity, sizeof *m->place);
    ModelPlace *p = &m->place[m->places++];
    *p = (ModelPlace){
        .variant = v, .attention = a, .weights = m->count, .declared = w.count};
    snprintf(p->name, sizeof p->name, "%s.%s", block,
             a.place == CROSS ? "cross" : "attention");
    for (const Declared *d = w.list; d < w.list + w.count; d++) {
        model_weight(m, d->rows, d->cols, d->mean, d->deviation, "%s.%s",
                     p->name, d->name);
        m->weights[m->count - 1].attention = true;
    }
    weights_free(&w);
}

Node *
model_attend(Model *m, const Variant *v, Attention a, const char *block,
             Node *x, Node *y)
{
    Node *normed =
        model_norm(m, x, block, a.place == CROSS ? ".norm_cross" : ".norm1");
    if (m->listing) {
        list_place(m, v, a, block);
        return x;
    }
    int place = m->next.place++;
    const ModelPlace *p = &m->place[place];
    Keeper *k = a.place == ENCODER ? NULL : x->tape->keeper;
    m->next.weight += p->declared;
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
model_mlp(Model *m, Node *x, const char *block)
{
    int d = m->attention.d_model;
    int wide = (int)matrix_entries(m->config.mlp, d);
    if (!wide)
        return x;
    Node *normed = model_norm(m, x, block, ".norm2");
    Node *w1 = model_weight(m, d, wide, 0, 1 / sqrt(d), "%s.mlp.W_1", block);
    Node *w2 = model_weight(m, wide, d, 0, 1 / sqrt(wide), "%s.mlp.W_2", block);
    return add(x, matmul(gelu(matmul(normed, w1)), w2));
}

Node *
model_classify(Model *m, Node *x)
{
    int d = m->attention.d_model, classes = m->sizes.classes;
    x = model_norm(m, x, "", "norm");
    return matmul(x,
                  model_weight(m, d, classes, 0, 1 / sqrt(d), "unembedding"));
}

static Node *
logits(Model *m, Tape *t, const Batch *b)
{
    Node *table = model_table(m, m->sizes.vocabulary, "embedding");
    Node *x = embed(table, b->ids, b->each, b->rows, b->sequences);
    if (m->config.positions == POSITIONS_LEARNED)
        x = add_positions(x, model_table(m, m->sizes.tokens, "positions"),
                          t->keeper ? t->keeper->position : 0);
    for (int i = 0; i < m->config.layers; i++) {
        const char *block = model_block(m, "block", i);
        Attention a = m->attention;
        a.layer = i;
        x = model_attend(m, m->variant, a, block, x, NULL);
        x = model_mlp(m, x, block);
    }
    return model_classify(m, x);
}

const Architecture one_sequence = {.logits = logits};

Model *
model_outline(const Config *c, Sizes sizes, const Variant *v,
              const Architecture *architecture)
{
    Batch one = {.sequences = 1,
                 .each = sizes.each,
                 .rows = sizes.tokens,
                 .source_rows = sizes.source};
    Model *m = allocate(1, sizeof *m);
    m->config = *c;
    m->sizes = sizes;
    m->architecture = architecture;
    m->variant = v;
    m->attention = attention_of(c);
    m->attention.place = SELF;
    m->attention.layers = c->layers;
    m->listing = tape_new(SHAPES_ONLY);
    architecture->logits(m, m->listing, &one);
    tape_free(m->listing);
    m->listing = NULL;
    m->nodes = allocate((size_t)m->count, sizeof *m->nodes);
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
    real *value = m->values = allocate(m->parameters, sizeof *value);
    m->gradients = allocate(m->parameters, sizeof *value);
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
    free(m->fixed.at);
    free(m->weights);
    free(m->place);
    free(m->values);
    free(m->gradients);
    free(m->first);
    free(m->second);
    free(m->nodes);
    free(m);
}

Node *
model_forward(Model *m, Tape *t, const Batch *b)
{
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        Node *n = leaf(t, w->rows, w->cols, 1, w->value, w->gradient);
        n->trained = !t->keeper;
        n->arguments = w->name;
        m->nodes[i] = n;
    }
    m->next = (Cursor){0};
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
