/* model.c - the Transformer around a variant.

   x = embedding + positions; then, block by block, x += attention(x, x) and
   x += MLP(x), each on LayerNorm(x) where `norm` is pre; logits = x W. Without
   biases every matrix of attention counts for what it is. The equation is
   written once, and asks for its weights as it goes: the first pass lists them,
   each variant its own; then they are drawn; then it is called. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "heart/composed.h"
#include "heart/layers.h"
#include "heart/model.h"

/* "block0.mlp"; in no block, "norm". */
static void
name_part(char to[PART_SIZE], const Attention *block, const char *part)
{
    if (!block)
        snprintf(to, PART_SIZE, "%s", part);
    else
        snprintf(to, PART_SIZE, "%s%d.%s",
                 block->place == ENCODER ? "encoder" : "block", block->layer,
                 part);
}

Node *
model_weight(Model *m, const Attention *block, const char *part,
             const char *name, int rows, int cols, double mean,
             double deviation)
{
    if (!m->listing)
        return m->nodes[m->next++];
    m->weights = grow(m->weights, m->count, &m->capacity, sizeof *m->weights);
    Weight *w = &m->weights[m->count++];
    *w = (Weight){
        .rows = rows, .cols = cols, .mean = mean, .deviation = deviation};
    name_part(w->part, block, part);
    snprintf(w->name, sizeof w->name, "%s%s%s", w->part, *name ? "." : "",
             name);
    m->parameters += matrix_entries(rows, cols);
    return leaf(m->listing, rows, cols, 1, NULL, NULL);
}

/* At a standard deviation of 0.7 each, tokens and positions are about 1
   together. */
Node *
model_table(Model *m, const char *name, int rows)
{
    return model_weight(m, NULL, name, "", rows, m->attention.d_model, 0, 0.7);
}

Node *
model_norm(Model *m, const Attention *block, const char *part, Node *x)
{
    int d = m->attention.d_model;
    if (m->config.norm == NORM_NONE)
        return x;
    Node *gain = model_weight(m, block, part, "gain", 1, d, 1, 0);
    Node *bias = model_weight(m, block, part, "bias", 1, d, 0, 0);
    return layer_norm(x, gain, bias);
}

/* A place, with the weights that its variant declares. */
static void
list_place(Model *m, const Variant *v, const Attention *a)
{
    const char *part = a->place == CROSS ? "cross" : "attention";
    Weights w = weights_declared(v, a);
    m->place = grow(m->place, m->places, &m->place_capacity, sizeof *m->place);
    ModelPlace *p = &m->place[m->places++];
    *p = (ModelPlace){.variant = v,
                      .attention = *a,
                      .weights = m->count,
                      .declared = w.count};
    name_part(p->name, a, part);
    for (const Weight *d = w.list; w.count && d < w.list + w.count; d++) {
        model_weight(m, a, part, d->name, d->rows, d->cols, d->mean,
                     d->deviation);
        m->weights[m->count - 1].attention = true;
    }
    free(w.list);
}

Node *
model_attend(Model *m, const Variant *v, Attention *a, Node *x, Node *y)
{
    Node *normed =
        model_norm(m, a, a->place == CROSS ? "norm_cross" : "norm1", x);
    if (m->listing) {
        list_place(m, v, a);
        return x;
    }
    int place = m->next_place++;
    const ModelPlace *p = &m->place[place];
    Keeper *k = a->place == ENCODER ? NULL : x->tape->keeper;
    m->next += p->declared;
    y = y ? y : normed;
    if (k)
        k->enter(k, a, place, normed, y);
    Node *out = plugin_forward(p->variant, a, normed, y, m->nodes + p->weights);
    if (k)
        k->leave(k);
    if (m->attended)
        m->attended(m->to, normed, y, out);
    return m->config.residual ? residual(x, out) : out;
}

Node *
model_mlp(Model *m, const Attention *block, Node *x)
{
    int d = m->attention.d_model;
    int wide = (int)matrix_entries(m->config.mlp, d);
    if (!wide)
        return x;
    Node *normed = model_norm(m, block, "norm2", x);
    Node *w1 = model_weight(m, block, "mlp", "W_1", d, wide, 0, 1 / sqrt(d));
    Node *w2 = model_weight(m, block, "mlp", "W_2", wide, d, 0, 1 / sqrt(wide));
    return residual(x, matmul(gelu(matmul(normed, w1)), w2));
}

Node *
model_classify(Model *m, Node *x)
{
    int d = m->attention.d_model, classes = m->sizes.classes;
    Node *normed = model_norm(m, NULL, "norm", x);
    return matmul(normed, model_weight(m, NULL, "unembedding", "", d, classes,
                                       0, 1 / sqrt(d)));
}

static Node *
logits(Model *m, Tape *t, const Batch *b)
{
    Node *table = model_table(m, "embedding", m->sizes.vocabulary);
    Node *positions = m->config.positions == POSITIONS_LEARNED
                          ? model_table(m, "positions", m->sizes.tokens)
                          : NULL;
    Node *x = embed(table, b->ids, b->each, positions,
                    t->keeper ? t->keeper->position : 0, b->rows, b->sequences);
    for (int i = 0; i < m->config.layers; i++) {
        Attention a = m->attention;
        a.layer = i;
        x = model_attend(m, m->variant, &a, x, NULL);
        x = model_mlp(m, &a, x);
    }
    return model_classify(m, x);
}

Node *
class_loss(const Model *m, Node *logits, const int *targets, int counted,
           double *right)
{
    (void)m;
    if (right)
        *right += correct_rows(logits, targets);
    return cross_entropy(logits, targets, counted);
}

const Architecture one_sequence = {logits, class_loss};

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
    m->attention = attention_of(c, v->shape);
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
    const char *part = "";
    real *value = m->values = allocate(2 * m->parameters, sizeof *value);
    m->gradients = m->values + m->parameters;
    for (Weight *w = m->weights; w < m->weights + m->count; w++) {
        if (strcmp(part, w->part))
            r = random_stream((uint64_t)m->config.seed, w->part);
        part = w->part;
        w->value = value;
        w->gradient = m->gradients + (value - m->values);
        for (int j = 0; j < w->cols; j++)
            for (int i = 0; i < w->rows; i++) {
                double x =
                    w->deviation > 0 ? w->deviation * random_normal(&r) : 0;
                value[i * w->cols + j] = (real)(w->mean + x);
            }
        value += w->rows * w->cols;
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
    free(m->first);
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
    m->next = m->next_place = 0;
    return m->architecture->logits(m, t, b);
}
