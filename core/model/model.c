/* model.c - the Transformer around a variant.

   x = embedding + positions; then, block by block, x += attention(x, x) and
   x += MLP(x), each on LayerNorm(x) where `norm` is pre; logits = x W. Where
   there is a second sequence y, the encoder's blocks read it, and blocks have
   x += attention(x, y) too. Without biases every matrix of attention counts for
   what it is. */
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/label.h"
#include "heart/layers.h"
#include "heart/positions.h"
#include "heart/tape.h"
#include "model/model.h"

Attention
place_attention(const Model *m, int place)
{
    const ModelPlace *p = &m->place[place];
    Attention a = m->attention;
    a.causal = p->kind == SELF && a.causal;
    a.place = p->kind;
    if (p->kind == CROSS)
        a.relative = UNPOSITIONED; /* positions of two sequences */
    a.layer = p->layer;
    a.layers = p->kind == ENCODER ? m->config.encoder : m->config.layers;
    return a;
}

const Variant *
place_variant(const Model *m, int place)
{
    return m->cast[m->place[place].kind];
}

const char *
place_word(const Model *m, int place)
{
    const Config *c = &m->config;
    const char *words[KINDS] = {c->encoder_variant, c->variant,
                                c->cross_variant};
    const char *word = words[m->place[place].kind];
    return *word ? word : c->variant;
}

real **
model_attention(const Model *m, int place)
{
    const ModelPlace *p = &m->place[place];
    real **values = allocate((size_t)p->declared, sizeof *values);
    for (int i = 0; i < p->declared; i++)
        values[i] = m->weights[p->weights + i].value;
    return values;
}

Weight *
model_weight(const Model *m, const char *name)
{
    for (int i = 0; i < m->count; i++)
        if (!strcmp(m->weights[i].name, name))
            return &m->weights[i];
    bug("the model has no weight %s", name);
}

/* LayerNorm(x) where the model has it; its gain is weight `gain`. */
static Node *
norm(Model *m, Node *x, int gain)
{
    return m->config.norm == NORM_NONE
               ? x
               : layer_norm(x, m->nodes[gain], m->nodes[gain + 1]);
}

/* The variant at work, which returns rows as wide as a token; with the residual
   around it, where there is one. Queries come from x, keys and values from y,
   or from x too where that is NULL. */
static Node *
attention(Model *m, int place, Node *x, Node *y)
{
    const ModelPlace *p = &m->place[place];
    Attention a = place_attention(m, place);
    Node *normed = norm(m, x, p->norm);
    Keeper *k = p->kind == ENCODER ? NULL : tape_keeper(x->tape);
    y = y ? y : normed;
    if (k)
        k->enter(k, &a, place, normed, y);
    Node *out =
        plugin_forward(m->cast[p->kind], &a, normed, y, m->nodes + p->weights);
    if (k)
        k->leave(k);
    if (m->attended)
        m->attended(m->to, normed, y, out);
    return m->config.residual ? add(x, out) : out;
}

static Node *
mlp(Model *m, const ModelLayer *b, Node *x)
{
    if (!m->config.mlp)
        return x;
    Node *wide = matmul(norm(m, x, b->norm), m->nodes[b->mlp]);
    return add(x, matmul(gelu(wide), m->nodes[b->mlp + 1]));
}

/* The tokens of one sequence, or of the second one, with their positions. */
static Node *
tokens(Model *m, Tape *t, const Batch *b, bool second)
{
    const Sizes *z = &m->sizes;
    int d = m->attention.d_model, length = second ? z->source : z->tokens;
    int kind = m->config.positions, first = z->vocabulary;
    int from = second || !tape_keeper(t) ? 0 : tape_keeper(t)->position;
    bool onehot = m->config.embed == EMBED_ONEHOT;
    Node *table = onehot ? leaf(t, z->vocabulary, d, 1, m->table, NULL)
                         : m->nodes[m->embedding];
    Node *x = embed(table, second ? b->all.source : b->all.ids, z->each,
                    second ? b->source_rows : b->rows, b->sequences);
    if (!positions_added(&m->config))
        return x;
    if (kind == POSITIONS_LEARNED && !onehot)
        return add_positions(
            x, m->nodes[second ? m->source_positions : m->positions], from);
    if (!onehot)
        first = 0;
    else if (second)
        first += z->tokens;
    real *rows = m->table ? m->table + (size_t)first * (size_t)d : NULL;
    return add_positions(x, leaf(t, length, d, 1, rows, NULL), from);
}

/* What the encoder makes of the second sequence. */
static Node *
encoded(Model *m, Tape *t, const Batch *b)
{
    Node *y = tokens(m, t, b, true);
    for (int i = 0; i < m->config.encoder; i++) {
        const ModelLayer *layer = &m->encoder[i];
        y = mlp(m, layer, attention(m, layer->self, y, NULL));
    }
    return m->config.encoder ? norm(m, y, m->encoder_norm) : y;
}

Node *
model_forward(Model *m, Tape *t, const Batch *b)
{
    const Config *c = &m->config;
    const Keeper *kept = tape_keeper(t);
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        m->nodes[i] =
            leaf(t, w->rows, w->cols, 1, w->value, kept ? NULL : w->gradient);
        name_leaf(m->nodes[i], w->name);
    }
    bool read = kept && kept->position > 0 && !tape_has_shapes_only(t);
    Node *y = !m->sizes.source ? NULL
              : read
                  ? leaf(t, 0, m->attention.d_model, b->sequences, NULL, NULL)
                  : encoded(m, t, b);
    Node *x = tokens(m, t, b, false);
    for (int i = 0; i < c->layers; i++) {
        const ModelLayer *layer = &m->layers[i];
        if (c->cross != CROSS_ONLY)
            x = attention(m, layer->self, x, NULL);
        if (c->cross != CROSS_NONE)
            x = attention(m, layer->cross, x, y);
        x = mlp(m, layer, x);
    }
    return matmul(norm(m, x, m->norm), m->nodes[m->unembedding]);
}

Node *
model_loss(const Model *m, Node *logits, const int *targets, int counted)
{
    const Sizes *z = &m->sizes;
    if (z->step != 0)
        return squared_error(logits, targets, counted, z->first, z->step);
    return cross_entropy(logits, targets, counted);
}

double
model_right(const Model *m, const Node *logits, const int *targets)
{
    const Sizes *z = &m->sizes;
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
