/* second.c - kinds of models besides the heart's. */
#include <math.h>
#include <stdio.h>

#include "config/positions.h"
#include "config/regression.h"
#include "config/second.h"
#include "config/settings.h"
#include "heart/fail.h"
#include "heart/numbers.h"

/* The places of Model.fixed. */
enum { TOKENS, PLACES, SOURCE_PLACES };

/* What a variant sees in a block of the encoder, or of a second sequence. */
static Attention
attention_at(const Model *m, int kind, int layer)
{
    Attention a = m->attention;
    a.place = kind;
    a.layer = layer;
    if (kind != SELF)
        a.causal = 0;
    if (kind == CROSS)
        a.relative = NULL; /* positions of two sequences */
    if (kind == ENCODER)
        a.layers = m->config.encoder;
    return a;
}

Attention
attention_in(const Config *c, Sizes z)
{
    Attention a = positioned_attention(c);
    if (c->embed == EMBED_ONEHOT)
        a.d_model =
            z.vocabulary + (positions_added(c) ? z.tokens + z.source : 0);
    matrix_entries(a.heads, a.d_model);
    return a;
}

static void
list_tokens(Model *m)
{
    const Config *c = &m->config;
    Attention a = attention_in(c, m->sizes);
    int d = m->attention.d_model = a.d_model;
    m->attention.relative = a.relative;
    m->embedding = m->positions = m->source_positions = -1;
    if (c->embed == EMBED_ONEHOT)
        return;
    list_embedding(m);
    if (m->sizes.source && c->positions == POSITIONS_LEARNED)
        m->source_positions =
            list_weight(m, m->sizes.source, d, 0, 0.7, "source_positions");
}

/* The nodes of what is not trained stand behind those of the weights. */
static int
fix(Model *m, int place, int rows)
{
    int d = m->attention.d_model;
    m->fixed[place] = matrix(NULL, rows, d, d);
    return m->count + place;
}

/* One-hot rows, and sinusoids. */
static void
fix_all(Model *m)
{
    bool places = positions_added(&m->config);
    if (m->embedding < 0)
        m->embedding = fix(m, TOKENS, m->sizes.vocabulary);
    if (places && m->positions < 0)
        m->positions = fix(m, PLACES, m->sizes.tokens);
    if (places && m->source_positions < 0)
        m->source_positions = fix(m, SOURCE_PLACES, m->sizes.source);
}

/* The variant of that name, opened before; or the model's where there is none.
 */
static const Variant *
other_variant(const char *word, const Model *m)
{
    return *word ? plugin_open(word).variant : m->variant;
}

static void
list_all(Model *m)
{
    const Config *c = &m->config;
    char block[20];
    list_tokens(m);
    m->encoder = allocate((size_t)c->encoder, sizeof *m->encoder);
    for (int i = 0; i < c->encoder; i++) {
        snprintf(block, sizeof block, "encoder%d", i);
        m->encoder[i].self =
            list_attention(m, other_variant(c->encoder_variant, m),
                           attention_at(m, ENCODER, i), block);
        list_mlp(m, &m->encoder[i], block);
    }
    m->encoder_norm = c->encoder ? list_norm(m, "encoder", ".norm") : -1;
    for (int i = 0; i < c->layers; i++) {
        ModelLayer *layer = &m->layers[i];
        snprintf(block, sizeof block, "block%d", i);
        if (c->cross != CROSS_ONLY)
            layer->self =
                list_attention(m, m->variant, attention_at(m, SELF, i), block);
        if (c->cross != CROSS_NONE)
            layer->cross = list_attention(m, other_variant(c->cross_variant, m),
                                          attention_at(m, CROSS, i), block);
        list_mlp(m, layer, block);
    }
    list_unembedding(m);
    fix_all(m);
}

/* What the encoder makes of the second sequence. */
static Node *
encoded(Model *m, const Batch *b)
{
    Node *y = model_tokens(m, b->source, b->source_rows, b->sequences,
                           m->source_positions, 0);
    for (int i = 0; i < m->config.encoder; i++) {
        const ModelLayer *layer = &m->encoder[i];
        y = model_mlp(m, layer, model_attend(m, layer->self, y, NULL));
    }
    return model_norm(m, y, m->encoder_norm);
}

static Node *
logits(Model *m, Tape *t, const Batch *b)
{
    const Config *c = &m->config;
    const Keeper *k = t->keeper;
    bool read = k && k->position > 0 && !(t->purpose & SHAPES_ONLY);
    Node *y = !m->sizes.source ? NULL
              : read
                  ? leaf(t, 0, m->attention.d_model, b->sequences, NULL, NULL)
                  : encoded(m, b);
    Node *x = model_tokens(m, b->ids, b->rows, b->sequences, m->positions,
                           k ? k->position : 0);
    for (const ModelLayer *l = m->layers; l < m->layers + c->layers; l++) {
        if (c->cross != CROSS_ONLY)
            x = model_attend(m, l->self, x, NULL);
        if (c->cross != CROSS_NONE)
            x = model_attend(m, l->cross, x, y);
        x = model_mlp(m, l, x);
    }
    return matmul(model_norm(m, x, m->norm), m->nodes[m->unembedding]);
}

const Architecture two_sequences = {.list = list_all, .logits = logits};
const Architecture numbers = {list_all, logits, squared_error, explained_rows};

double
onehot_size(const Model *m)
{
    return 0.7 * sqrt(m->attention.d_model);
}

/* PE(t, 2i) = sin(t / 10000^(2i / d_model)), PE(t, 2i + 1) = cos(the same):
   "Attention Is All You Need", section 3.5. */
static void
fill_sinusoids(Matrix table)
{
    for (int i = 0; i < table.cols / 2; i++) {
        double rate = decay(2. * i / table.cols * logarithm(10000));
        for (int t = 0; t < table.rows; t++) {
            real *at = table.at + t * table.down + 2 * i;
            at[0] = (real)sine(t * rate);
            at[1] = (real)cosine(t * rate);
        }
    }
}

void
model_fill(Model *m)
{
    int column = 0;
    for (Matrix *f = m->fixed; f < m->fixed + FIXED; f++) {
        f->at = allocate(matrix_entries(f->rows, f->cols), sizeof *f->at);
        if (m->config.embed == EMBED_LEARNED)
            fill_sinusoids(*f);
        for (int i = 0; m->config.embed == EMBED_ONEHOT && i < f->rows; i++)
            f->at[i * f->down + column++] = (real)onehot_size(m);
    }
}
