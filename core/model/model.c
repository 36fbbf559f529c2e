/* model.c - the Transformer around a variant.

   x = embedding + positions; then, block by block, x += attention(x, x) and
   x += MLP(x), each on LayerNorm(x) where `norm` is pre; logits = x W. Where
   there is a second sequence y, the encoder's blocks read it, and blocks have
   x += attention(x, y) too. "No biases" is what makes every matrix of attention
   count for what it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tape/recording.h"
#include "tape/layers.h"
#include "variant/cost.h"
#include "task/linear.h"
#include "model/model.h"

static int
place_kind(const Model *m, int place)
{
    const Config *c = &m->config;
    int at = place - c->encoder;
    if (at < 0)
        return ENCODER;
    return c->cross == CROSS_ONLY || (c->cross == CROSS_AFTER && at % 2) ? CROSS
                                                                         : SELF;
}

void
place_name(const Model *m, int place, char name[PLACE_SIZE])
{
    int each = m->config.cross == CROSS_AFTER ? 2 : 1;
    if (place_kind(m, place) == ENCODER)
        snprintf(name, PLACE_SIZE, "encoder%d.attention", place);
    else
        snprintf(name, PLACE_SIZE, "block%d.%s",
                 (place - m->config.encoder) / each,
                 place_kind(m, place) == CROSS ? "cross" : "attention");
}

const Variant *
place_variant(const Model *m, int place)
{
    return m->cast[place_kind(m, place)];
}

const char *
place_word(const Model *m, int place)
{
    const Config *c = &m->config;
    int kind = place_kind(m, place);
    return kind == CROSS && *c->cross_variant       ? c->cross_variant
           : kind == ENCODER && *c->encoder_variant ? c->encoder_variant
                                                    : c->variant;
}

real **
model_attention(const Model *m, int place)
{
    int count = m->declared[place_kind(m, place)];
    real **values = allocate((size_t)count, sizeof *values);
    char name[PLACE_SIZE];
    int found = 0;
    place_name(m, place, name);
    size_t n = strlen(name);
    for (int i = 0; i < m->count && found < count; i++)
        if (!strncmp(m->weights[i].name, name, n) &&
            m->weights[i].name[n] == '.')
            values[found++] = m->weights[i].value;
    return values;
}

Canonical
model_form(const Model *m, int place)
{
    const Variant *v = place_variant(m, place);
    Weights w = weights_declared(v, &m->attention);
    real **values = model_attention(m, place);
    Canonical c = canonical_form(v, m->attention, &w, values);
    free(values);
    weights_free(&w);
    return c;
}

void
model_cost(const Model *m, double *flops, double *cache)
{
    *flops = *cache = 0;
    for (int place = 0; place < m->places; place++) {
        const Variant *v = place_variant(m, place);
        Weights w = weights_declared(v, &m->attention);
        int kind = place_kind(m, place);
        int tokens = kind == ENCODER ? m->sizes.source : m->sizes.tokens;
        Cost c = cost_of(v, m->attention, &w, tokens,
                         kind == CROSS ? m->sizes.source : 0);
        *flops += c.forward * tokens / m->sizes.tokens;
        *cache += kind == ENCODER ? 0 : c.cache;
        weights_free(&w);
    }
}

Weight *
model_weight(const Model *m, const char *name)
{
    for (int i = 0; i < m->count; i++)
        if (!strcmp(m->weights[i].name, name))
            return &m->weights[i];
    bug("the model has no weight %s", name);
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

/* The variant at work on x, which asks y; what it returns must be as wide as a
   token. With the residual around it, where there is one. */
static Node *
attention(Model *m, int kind, Node *x, Node *y, Node ***w)
{
    Attention a = m->attention;
    Node *normed = norm(m, x, w);
    a.causal = kind == SELF && a.causal;
    y = y ? y : normed;
    Node *out = plugin_forward(m->cast[kind], &a, normed, y, *w);
    if (a.recording)
        record_place(a.recording, (Place){normed, y, out, 0, 0});
    *w += m->declared[kind];
    return m->config.residual ? add(x, out) : out;
}

static Node *
mlp(Model *m, Node *x, Node ***w)
{
    if (!m->config.mlp)
        return x;
    Node *normed = norm(m, x, w);
    *w += 2;
    return add(x, matmul(gelu(matmul(normed, (*w)[-2])), (*w)[-1]));
}

/* The tokens of one sequence, or of the second one, with their positions. */
static Node *
tokens(Model *m, Tape *t, const Batch *b, bool second, Node **trained)
{
    const Sizes *z = &m->sizes;
    int d = m->attention.d_model, length = second ? z->source : z->tokens;
    int kind = m->config.positions, first = z->vocabulary;
    bool onehot = m->config.embed == EMBED_ONEHOT;
    Node *table =
        onehot ? leaf(t, z->vocabulary, d, 1, m->table, NULL) : trained[0];
    Node *x = embed(table, second ? b->all.source : b->all.ids, z->each,
                    second ? b->source_rows : b->rows, b->sequences);
    if (kind == POSITIONS_NONE)
        return x;
    if (kind == POSITIONS_LEARNED && !onehot)
        return add_positions(x, trained[1 + second]);
    if (!onehot)
        first = 0;
    else if (second)
        first += z->tokens;
    real *rows = m->table ? m->table + (size_t)first * (size_t)d : NULL;
    return add_positions(x, leaf(t, length, d, 1, rows, NULL));
}

/* How many weights put_embedding listed. */
static int
embedding_weights(const Model *m)
{
    return m->config.embed == EMBED_ONEHOT            ? 0
           : m->config.positions != POSITIONS_LEARNED ? 1
                                                      : 2 + !!m->sizes.source;
}

Node *
model_forward(Model *m, Tape *t, const Batch *b)
{
    const Config *c = &m->config;
    Node **w = m->nodes, *y = NULL;
    for (int i = 0; i < m->count; i++) {
        Weight *weight = &m->weights[i];
        m->nodes[i] = leaf(t, weight->rows, weight->cols, 1, weight->value,
                           weight->gradient);
    }
    if (c->depth) {
        Node *x = w[0];
        for (int i = 1; i < m->count; i++)
            x = matmul(x, w[i]);
        return x;
    }
    w += embedding_weights(m);
    if (m->sizes.source)
        y = tokens(m, t, b, true, m->nodes);
    for (int i = 0; i < c->encoder; i++)
        y = mlp(m, attention(m, ENCODER, y, NULL, &w), &w);
    if (c->encoder)
        y = norm(m, y, &w);
    Node *x = tokens(m, t, b, false, m->nodes);
    for (int i = 0; i < c->layers; i++) {
        if (c->cross != CROSS_ONLY)
            x = attention(m, SELF, x, NULL, &w);
        if (c->cross != CROSS_NONE)
            x = attention(m, CROSS, x, y, &w);
        x = mlp(m, x, &w);
    }
    x = norm(m, x, &w);
    return matmul(x, *w);
}

Node *
model_loss(const Model *m, Node *logits, const int *targets, int counted)
{
    const Sizes *z = &m->sizes;
    if (m->config.depth)
        return power_error(logits, m->table, m->config.power == LOSS_L4);
    if (z->step != 0)
        return squared_error(logits, targets, counted, z->first, z->step);
    return cross_entropy(logits, targets, counted);
}

double
model_right(const Model *m, const Node *logits, const int *targets)
{
    const Sizes *z = &m->sizes;
    if (m->config.depth)
        return z->tokens * power_explained(logits, m->table);
    if (z->step != 0)
        return explained_rows(logits, targets, z->first, z->step);
    return correct_rows(logits, targets);
}

void
model_add_gradients(Model *m)
{
    for (int i = 0; i < m->count; i++)
        m->nodes[i]->touched = true;
}
