/* architectures.c - models that the heart does not have. */
#include <math.h>
#include <string.h>

#include "config/settings.h"
#include "heart/fail.h"
#include "heart/embedding_and_loss.h"
#include "training/architectures.h"
#include "training/rope_and_alibi.h"

/* The description of the attention in block `layer` that its variant gets.
   `place` is SELF, CROSS or ENCODER (heart/model.h). */
static Attention
attention_in_block(const Model *m, int place, int layer)
{
    Attention a = m->attention;
    a.place = place;
    a.layer = layer;
    if (place != SELF) /* every token of the second sequence is known */
        a.causal = 0;
    if (place == CROSS) /* distances exist only within one sequence */
        a.relative = NULL;
    if (place == ENCODER)
        a.layers = m->config.encoder;
    return a;
}

/* The description of attention in a model of these sizes. A one-hot vector has
   an entry for each id of the vocabulary and, if positions are added, one for
   each position of both sequences. */
static Attention
attention_in_model(const Config *c, Sizes sizes)
{
    Attention a = positioned_attention(c);
    if (c->embed == EMBED_ONEHOT)
        a.d_model = sizes.vocabulary;
    if (c->embed == EMBED_ONEHOT && c->positions == POSITIONS_LEARNED)
        a.d_model += sizes.tokens + sizes.source;
    matrix_entries(a.heads, a.d_model); /* exits if their product overflows */
    return a;
}

/* A leaf with data, which has no gradient. */
static Node *
constant(Tape *t, int rows, int cols, int sequences, real *values)
{
    return leaf(t, rows, cols, sequences, values, NULL);
}

/* The vectors of `rows` tokens or positions. Learned vectors are the weight
   `name`; one-hot vectors are the rows of m->fixed from `first` on. */
static Node *
vectors(Model *m, Tape *t, int first, int rows, const char *name)
{
    int d = m->attention.d_model;
    if (m->config.embed == EMBED_LEARNED)
        return model_table(m, name, rows);
    /* The pass that lists the weights only counts the rows of m->fixed;
       model_fill_onehot then allocates them. */
    if (m->listing)
        m->fixed = matrix(NULL, first + rows, d, d);
    real *values = m->fixed.at ? m->fixed.at + first * d : NULL;
    return constant(t, rows, d, UNBATCHED, values);
}

/* The last argument of model_attend for self-attention. */
static Node *const no_second_sequence = NULL;

/* The output of the encoder for y, or y itself if there is no encoder. */
static Node *
encode(Model *m, Node *y)
{
    const Attention *no_block = NULL; /* the norm comes after all blocks */
    if (m->config.encoder == 0)
        return y;
    for (int i = 0; i < m->config.encoder; i++) {
        Attention a = attention_in_block(m, ENCODER, i);
        y = model_attend(m, m->variant, &a, y, no_second_sequence);
        y = model_mlp(m, &a, y);
    }
    return model_norm(m, no_block, "encoder.norm", y);
}

/* Advances the model past the encoder: the first weight and the first place
   after it are the next that the model uses. The names of the encoder's weights
   begin with "encoder", and each of its blocks has one place of attention. */
static void
skip_encoder(Model *m)
{
    const char *prefix = "encoder";
    while (!strncmp(m->weights[m->next].name, prefix, strlen(prefix)))
        m->next++;
    m->next_place = m->config.encoder;
}

/* The second sequence, encoded for cross-attention. `table` and `positions` are
   the vectors of ids and of positions. A decoder (Keeper in heart/tape.h)
   encodes the sequence in its first step, and caches its keys and values. In
   later steps the result has no rows, because no token of it is new. */
static Node *
second_sequence(Model *m, Tape *t, const Batch *b, Node *table, Node *positions)
{
    const int no_rows = 0;
    TokenIds tokens = {b->source, b->each, b->source_rows, b->sequences,
                       .first = 0};
    bool later_step = t->keeper && t->keeper->position > 0;
    /* A pass for shapes measures the memory that the first step needs, although
       its position is that of the last. */
    bool only_measures = t->purpose & SHAPES_ONLY;
    if (later_step && !only_measures) {
        skip_encoder(m);
        return constant(t, no_rows, m->attention.d_model, b->sequences, NULL);
    }
    return encode(m, embed(table, positions, tokens));
}

/* The output of all blocks for the sequence x. Each block has self-attention,
   attention to the second sequence y, or both in this order, and then an MLP.
 */
static Node *
blocks(Model *m, Node *x, Node *y)
{
    for (int i = 0; i < m->config.layers; i++) {
        Attention self = attention_in_block(m, SELF, i);
        Attention cross = attention_in_block(m, CROSS, i);
        if (m->config.cross != CROSS_ONLY)
            x = model_attend(m, m->variant, &self, x, no_second_sequence);
        if (m->config.cross != CROSS_NONE)
            x = model_attend(m, m->variant, &cross, x, y);
        x = model_mlp(m, &self, x);
    }
    return x;
}

/* Implements Architecture.logits for both architectures. x is the first
   sequence of the task, and y the second, which may be missing. */
static Node *
logits(Model *m, Tape *t, const Batch *b)
{
    const Config *c = &m->config;
    Sizes sizes = m->sizes;
    bool positions_added = c->positions == POSITIONS_LEARNED;
    /* Where m->fixed has the rows of ids, positions of x and positions of y. */
    int id_row = 0, x_row = sizes.vocabulary, y_row = x_row + sizes.tokens;
    int first = t->keeper ? t->keeper->position : 0;
    TokenIds tokens = {b->ids, b->each, b->rows, b->sequences, first};
    /* The heart, which has set the other members of m->attention, does not know
       one-hot vectors, RoPE and ALiBi. */
    Attention a = attention_in_model(c, sizes);
    m->attention.d_model = a.d_model;
    m->attention.relative = a.relative;
    Node *table = vectors(m, t, id_row, sizes.vocabulary, "embedding");
    Node *x_positions = NULL, *y_positions = NULL, *y = NULL;
    if (positions_added)
        x_positions = vectors(m, t, x_row, sizes.tokens, "positions");
    if (positions_added && sizes.source)
        y_positions = vectors(m, t, y_row, sizes.source, "source_positions");
    if (sizes.source)
        y = second_sequence(m, t, b, table, y_positions);
    Node *x = embed(table, x_positions, tokens);
    return model_classify(m, blocks(m, x, y));
}

/* gain x / sqrt(mean(x^2) + 1e-5) for each row x: RMSNorm (Zhang and Sennrich
   2019, equation 4). The 1e-5 keeps a row of zeros from dividing by 0. */
static Node *
gained_rms_norm(Node *x, Node *gain)
{
    return hadamard(rms_norm(x, 1e-5), gain);
}

const Architecture two_sequences = {
    .logits = logits, .loss = class_loss, .rms_norm = gained_rms_norm};

/* The number that answer k stands for. */
static double
number_of(const Model *m, int k)
{
    return m->sizes.first + m->sizes.step * k;
}

/* Adds 1 - (x - y)^2, whose mean is R^2, to *sum for each row with a right
   answer y. */
static void
add_r_squared(const Model *m, const Node *x, const int *targets, double *sum)
{
    for (int i = 0; i < x->rows; i++) {
        double error = (double)x->value[i] - number_of(m, targets[i]);
        if (targets[i] >= 0)
            *sum += 1 - error * error;
    }
}

/* The loss is the product of the row [1/counted ... 1/counted] and the column
   of squared errors e^2, with e = x + (-y). If a row has no right answer, y is
   set to x there, so that the row adds 0. */
Node *
number_loss(const Model *m, Node *x, const int *targets, int counted,
            double *right)
{
    real *minus_y = keep(x, size_of(x)), *mean = keep(x, size_of(x));
    for (int i = 0; i < x->rows; i++) {
        bool has_answer = targets[i] >= 0;
        minus_y[i] =
            has_answer ? (real)-number_of(m, targets[i]) : -x->value[i];
        mean[i] = counted ? (real)(1. / counted) : 0; /* 0: the loss is 0 */
    }
    if (right)
        add_r_squared(m, x, targets, right);
    Node *column = constant(x->tape, x->rows, 1, x->sequences, minus_y);
    Node *row = constant(x->tape, 1, x->rows, UNBATCHED, mean);
    Node *e = add(x, column);
    e->sequences = UNBATCHED; /* the sum is over the rows of all sequences */
    return matmul(row, hadamard(e, e));
}

const Architecture numbers = {
    .logits = logits, .loss = number_loss, .rms_norm = gained_rms_norm};

/* A row has d entries, only one of which is not 0, so the mean square of its
   entries is (0.7 sqrt(d))^2 / d = 0.7^2. */
double
onehot_entry(const Model *m)
{
    return 0.7 * sqrt(m->attention.d_model);
}

void
model_fill_onehot(Model *m)
{
    Matrix *f = &m->fixed;
    f->at = allocate(matrix_entries(f->rows, f->cols), sizeof *f->at);
    for (int i = 0; i < f->rows; i++) /* the diagonal */
        f->at[i * f->down + i] = (real)onehot_entry(m);
}
