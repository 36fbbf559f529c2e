/* architectures.c - kinds of models besides the heart's. */
#include <math.h>

#include "config/settings.h"
#include "heart/fail.h"
#include "heart/layers.h"
#include "training/architectures.h"
#include "training/positions.h"

/* The description that a variant gets of a layer of the kind SELF, CROSS or
   ENCODER. */
static Attention
attention_at(const Model *m, int kind, int layer)
{
    Attention a = m->attention;
    a.place = kind;
    a.layer = layer;
    if (kind != SELF)
        a.causal = 0;
    if (kind == CROSS) /* tokens of two sequences have no distances */
        a.relative = NULL;
    if (kind == ENCODER)
        a.layers = m->config.encoder;
    return a;
}

/* The description that a variant gets in a model of these sizes. A one-hot
   token has a column for each token of the vocabulary and, if positions are
   learned, one for each position. */
static Attention
attention_in(const Config *c, Sizes z)
{
    Attention a = positioned_attention(c);
    if (c->embed == EMBED_ONEHOT)
        a.d_model =
            z.vocabulary +
            (c->positions == POSITIONS_LEARNED ? z.tokens + z.source : 0);
    matrix_entries(a.heads, a.d_model);
    return a;
}

/* The vectors of `rows` tokens or positions. If they are one-hot, these are the
   rows of the fixed table from `first` on. While the weights are listed, that
   table grows to the rows that are needed; model_fill_onehot allocates it. */
static Node *
table_of(Model *m, Tape *t, int first, int rows, const char *name)
{
    int d = m->attention.d_model;
    if (m->config.embed == EMBED_LEARNED)
        return model_table(m, name, rows);
    if (m->listing)
        m->fixed = matrix(NULL, first + rows, d, d);
    real *at = m->fixed.at ? m->fixed.at + first * d : NULL;
    return leaf(t, rows, d, 1, at, NULL);
}

/* The encoder's output for the second sequence y. */
static Node *
encoded(Model *m, Node *y)
{
    for (int i = 0; i < m->config.encoder; i++) {
        Attention a = attention_at(m, ENCODER, i);
        y = model_attend(m, m->variant, &a, y, NULL);
        y = model_mlp(m, &a, y);
    }
    return m->config.encoder ? model_norm(m, NULL, "encoder.norm", y) : y;
}

/* The second sequence as cross-attention reads it; NULL if the task has none. A
   decoder encodes it with its first tokens, and has it in its cache later: then
   it has no new rows, and the encoder's places and weights are skipped. */
static Node *
second(Model *m, Tape *t, const Batch *b, Node *table, Node *positions)
{
    const Keeper *k = t->keeper;
    /* the weights of the norm before a place's own: no norm has none, LayerNorm
       has a gain and a bias, RMSNorm only a gain */
    static const int norm_weights[] = {
        [NORM_NONE] = 0, [NORM_PRE] = 2, [NORM_RMS] = 1};
    int norm = norm_weights[m->config.norm];
    if (!m->sizes.source)
        return NULL;
    if (k && k->position > 0 && !(t->purpose & SHAPES_ONLY)) {
        m->next_place = m->config.encoder;
        m->next = m->place[m->next_place].weights - norm;
        return leaf(t, 0, m->attention.d_model, b->sequences, NULL, NULL);
    }
    return encoded(m, embed(table, b->source, b->each, positions, 0,
                            b->source_rows, b->sequences));
}

/* The equation of both architectures. The encoder comes first, then the blocks,
   with self-attention, cross-attention or both. */
static Node *
logits(Model *m, Tape *t, const Batch *b)
{
    const Config *c = &m->config;
    Sizes z = m->sizes;
    bool added = c->positions == POSITIONS_LEARNED;
    int v = z.vocabulary;
    Attention a = attention_in(c, z);
    m->attention.d_model = a.d_model;
    m->attention.relative = a.relative;
    Node *table = table_of(m, t, 0, v, "embedding"), *of_x = NULL, *of_y = NULL;
    if (added)
        of_x = table_of(m, t, v, z.tokens, "positions");
    if (added && z.source)
        of_y = table_of(m, t, v + z.tokens, z.source, "source_positions");
    Node *y = second(m, t, b, table, of_y);
    Node *x = embed(table, b->ids, b->each, of_x,
                    t->keeper ? t->keeper->position : 0, b->rows, b->sequences);
    for (int i = 0; i < c->layers; i++) {
        Attention self = attention_at(m, SELF, i);
        Attention cross = attention_at(m, CROSS, i);
        if (c->cross != CROSS_ONLY)
            x = model_attend(m, m->variant, &self, x, NULL);
        if (c->cross != CROSS_NONE)
            x = model_attend(m, m->variant, &cross, x, y);
        x = model_mlp(m, &self, x);
    }
    return model_classify(m, x);
}

/* gain x / sqrt(mean(x^2) + 1e-5), row by row. Zhang and Sennrich 2019,
   equation 4. */
static Node *
gained_rms_norm(Node *x, Node *gain)
{
    return hadamard(rms_norm(x, 1e-5), gain);
}

const Architecture two_sequences = {logits, class_loss, gained_rms_norm};

/* The mean of (x - y)^2, written with operators. y is data. In a row whose
   answer does not count, y is set to x, so that the row adds 0. */
Node *
number_loss(const Model *m, Node *x, const int *targets, int counted,
            double *right)
{
    real *minus_y = keep(x, size_of(x)), *mean = keep(x, size_of(x));
    for (int i = 0; i < x->rows; i++) {
        double number = m->sizes.first + m->sizes.step * targets[i];
        double off = (double)x->value[i] - number;
        minus_y[i] = targets[i] < 0 ? -x->value[i] : (real)-number;
        mean[i] = counted ? (real)(1. / counted) : 0;
        if (right && targets[i] >= 0)
            *right += 1 - off * off;
    }
    Node *off = add(x, leaf(x->tape, x->rows, 1, x->sequences, minus_y, NULL));
    off->sequences = 1; /* the sum is over the rows of all sequences */
    return matmul(leaf(x->tape, 1, x->rows, 1, mean, NULL), hadamard(off, off));
}

const Architecture numbers = {logits, number_loss, gained_rms_norm};

double
onehot_size(const Model *m)
{
    return 0.7 * sqrt(m->attention.d_model);
}

void
model_fill_onehot(Model *m)
{
    Matrix *f = &m->fixed;
    f->at = allocate(matrix_entries(f->rows, f->cols), sizeof *f->at);
    for (int i = 0; i < f->rows; i++)
        f->at[i * f->down + i] = (real)onehot_size(m);
}
