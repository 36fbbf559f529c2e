/* architectures.c - the models that the heart does not have. */
#include <math.h>

#include "config/settings.h"
#include "heart/fail.h"
#include "heart/embedding_and_loss.h"
#include "training/architectures.h"
#include "training/positions.h"

/* The description that a variant gets of attention in block `layer`. `place` is
   SELF, CROSS or ENCODER. */
static Attention
attention_in_block(const Model *m, int place, int layer)
{
    Attention a = m->attention;
    a.place = place;
    a.layer = layer;
    if (place != SELF)
        a.causal = 0;
    if (place == CROSS) /* tokens of two sequences have no distances */
        a.relative = NULL;
    if (place == ENCODER)
        a.layers = m->config.encoder;
    return a;
}

/* The description of attention in a model of these sizes. A one-hot vector has
   an entry for each id of the vocabulary and, if positions are added, one for
   each position of both sequences. */
static Attention
attention_in_model(const Config *c, Sizes z)
{
    Attention a = positioned_attention(c);
    if (c->embed == EMBED_ONEHOT)
        a.d_model = z.vocabulary;
    if (c->embed == EMBED_ONEHOT && c->positions == POSITIONS_LEARNED)
        a.d_model += z.tokens + z.source;
    matrix_entries(a.heads, a.d_model); /* exits if they are too many */
    return a;
}

/* The vectors of `rows` tokens or positions: the weight of that name or, if
   they are one-hot, the rows of m->fixed from `first` on. In the pass that
   lists the weights (m->listing), this only notes how many rows m->fixed needs;
   model_fill_onehot allocates them afterwards. */
static Node *
vectors(Model *m, Tape *t, int first, int rows, const char *name)
{
    int d = m->attention.d_model;
    if (m->config.embed == EMBED_LEARNED)
        return model_table(m, name, rows);
    if (m->listing)
        m->fixed = matrix(NULL, first + rows, d, d);
    real *at = m->fixed.at ? m->fixed.at + first * d : NULL;
    return leaf(t, rows, d, 1, at, NULL);
}

/* The encoder's output for the second sequence y; y if there is no encoder. */
static Node *
encoded(Model *m, Node *y)
{
    for (int i = 0; i < m->config.encoder; i++) {
        Attention a = attention_in_block(m, ENCODER, i);
        y = model_attend(m, m->variant, &a, y, NULL);
        y = model_mlp(m, &a, y);
    }
    return m->config.encoder ? model_norm(m, NULL, "encoder.norm", y) : y;
}

/* Goes on, in the lists of places and of weights, to those of the first block
   after the encoder. Its weights begin with the norm before its attention:
   LayerNorm has a gain and a bias, RMSNorm only a gain. */
static void
skip_encoder(Model *m)
{
    static const int norm_weights[] = {
        [NORM_NONE] = 0, [NORM_PRE] = 2, [NORM_RMS] = 1};
    m->next_place = m->config.encoder;
    m->next = m->place[m->next_place].weights - norm_weights[m->config.norm];
}

/* The second sequence as cross-attention reads it; NULL if the task has none. A
   decoder (Keeper, heart/tape.h) encodes it with its first tokens, and caches
   the keys and values. So when it decodes later tokens, there are no new rows.
 */
static Node *
second_sequence(Model *m, Tape *t, const Batch *b, Node *table, Node *positions)
{
    bool later_tokens = t->keeper && t->keeper->position > 0;
    if (!m->sizes.source)
        return NULL;
    if (later_tokens && !(t->purpose & SHAPES_ONLY)) {
        skip_encoder(m);
        return leaf(t, 0, m->attention.d_model, b->sequences, NULL, NULL);
    }
    return encoded(m, embed(table, b->source, b->each, positions, 0,
                            b->source_rows, b->sequences));
}

/* The equation of both architectures. The encoder comes first, then the blocks,
   with self-attention, cross-attention or both. One-hot rows are numbered: ids
   of the vocabulary, then positions of x (the tokens of the task), then
   positions of y (its second sequence). */
static Node *
logits(Model *m, Tape *t, const Batch *b)
{
    const Config *c = &m->config;
    Sizes z = m->sizes;
    /* Are vectors of positions added to the tokens? */
    bool added = c->positions == POSITIONS_LEARNED;
    int v = z.vocabulary;
    int position = t->keeper ? t->keeper->position : 0; /* of the first token */
    Attention a = attention_in_model(c, z);
    m->attention.d_model = a.d_model;
    m->attention.relative = a.relative;
    Node *table = vectors(m, t, 0, v, "embedding");
    Node *of_x = added ? vectors(m, t, v, z.tokens, "positions") : NULL;
    Node *of_y = NULL;
    if (added && z.source)
        of_y = vectors(m, t, v + z.tokens, z.source, "source_positions");
    Node *y = second_sequence(m, t, b, table, of_y);
    Node *x =
        embed(table, b->ids, b->each, of_x, position, b->rows, b->sequences);
    for (int i = 0; i < c->layers; i++) {
        Attention self = attention_in_block(m, SELF, i);
        Attention cross = attention_in_block(m, CROSS, i);
        if (c->cross != CROSS_ONLY)
            x = model_attend(m, m->variant, &self, x, NULL);
        if (c->cross != CROSS_NONE)
            x = model_attend(m, m->variant, &cross, x, y);
        x = model_mlp(m, &self, x);
    }
    return model_classify(m, x);
}

/* gain x / sqrt(mean(x^2) + 1e-5), row by row: RMSNorm, Zhang and Sennrich
   2019, equation 4. 1e-5 keeps a row of zeros from dividing by 0. */
static Node *
gained_rms_norm(Node *x, Node *gain)
{
    return hadamard(rms_norm(x, 1e-5), gain);
}

const Architecture two_sequences = {logits, class_loss, gained_rms_norm};

/* The loss is [1/counted ... 1/counted] e . e with the errors e = x + (-y). In
   a row whose answer does not count, y is set to x, so that the row adds 0. */
Node *
number_loss(const Model *m, Node *x, const int *targets, int counted,
            double *right)
{
    real *minus_y = keep(x, size_of(x)), *mean = keep(x, size_of(x));
    for (int i = 0; i < x->rows; i++) {
        double y = m->sizes.first + m->sizes.step * targets[i];
        double error = (double)x->value[i] - y;
        minus_y[i] = targets[i] < 0 ? -x->value[i] : (real)-y;
        mean[i] = counted ? (real)(1. / counted) : 0;
        if (right && targets[i] >= 0)
            *right += 1 - error * error;
    }
    Node *e = add(x, leaf(x->tape, x->rows, 1, x->sequences, minus_y, NULL));
    e->sequences = 1; /* the sum is over the rows of all sequences */
    return matmul(leaf(x->tape, 1, x->rows, 1, mean, NULL), hadamard(e, e));
}

const Architecture numbers = {logits, number_loss, gained_rms_norm};

/* 0.7 sqrt(d): the square of it, divided by the d entries of the row, is 0.7^2.
 */
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
