/* model.c - the Transformer around a variant.

   x = embedding + positions; then, block by block, x += attention(x, x) and x
   += MLP(x); at the end logits = x W. If the config's `norm` is NORM_PRE,
   attention, the MLP and W get LayerNorm(x) instead of x. MLP and W have no
   biases.

   The equation is `logits`, below. Its first pass lists the weights,
   model_start draws their initial values, and later passes use them. */
#include <stdio.h>
#include <string.h>

#include "heart/attend_and_norm.h"
#include "heart/embedding_and_loss.h"
#include "heart/model.h"

/* Sets `to` to the full name of a part: "block0.mlp", "encoder0.mlp" in an
   encoder, or "norm" if it is in no block. */
static void
name_part(char to[PART_SIZE], const Attention *block, const char *part)
{
    const char *kind = block && block->place == ENCODER ? "encoder" : "block";
    if (block)
        snprintf(to, PART_SIZE, "%s%d.%s", kind, block->layer, part);
    else
        snprintf(to, PART_SIZE, "%s", part);
}

/* Returns the next weight of the equation. `w` has its shape, the mean and the
   deviation of its initial entries, and its name within the part, "" if it is
   the part's only weight. The first pass adds it to the list of weights. */
static Node *
model_weight(Model *m, const Attention *block, const char *part, Weight w)
{
    if (!m->listing) /* a later pass: model_forward has made its leaf */
        return m->nodes[m->next++];
    m->weights = grow(m->weights, m->count, &m->capacity, sizeof *m->weights);
    Weight *listed = &m->weights[m->count++];
    *listed = w;
    name_part(listed->part, block, part);
    /* At most NAME_SIZE - 1 letters follow the part, so that both fit. */
    snprintf(listed->name, sizeof listed->name, "%s%s%.*s", listed->part,
             *w.name ? "." : "", NAME_SIZE - 1, w.name);
    m->parameters += matrix_entries(w.rows, w.cols);
    return leaf(m->listing, w.rows, w.cols, UNBATCHED, NULL, NULL);
}

/* The entries of the embeddings and of the positions have a standard deviation
   of 0.7, so that their sum has one of about 1. */
Node *
model_table(Model *m, const char *name, int rows)
{
    Weight w = {.rows = rows, .cols = m->attention.d_model, .deviation = 0.7};
    return model_weight(m, NULL, name, w);
}

Node *
model_norm(Model *m, const Attention *block, const char *part, Node *x)
{
    int d = m->attention.d_model;
    if (m->config.norm == NORM_NONE)
        return x;
    Weight ones = {.name = "gain", .rows = 1, .cols = d, .mean = 1};
    Weight zeros = {.name = "bias", .rows = 1, .cols = d};
    Node *gain = model_weight(m, block, part, ones);
    if (m->config.norm == NORM_RMS)
        return m->architecture->rms_norm(x, gain);
    return layer_norm(x, gain, model_weight(m, block, part, zeros));
}

/* Lists a place of attention and the weights that its variant declares. Called
   only in the first pass. */
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
    for (int i = 0; i < w.count; i++)
        model_weight(m, a, part, w.list[i]);
    free(w.list);
}

Node *
model_attend(Model *m, const Variant *v, Attention *a, Node *x, Node *y)
{
    const char *norm = a->place == CROSS ? "norm_cross" : "norm1";
    Node *normed = model_norm(m, a, norm, x);
    if (m->listing) { /* x stands for the result, which has its shape */
        list_place(m, v, a);
        return x;
    }
    int place = m->next_place++;
    const ModelPlace *p = &m->place[place];
    if (!y)
        y = normed;
    /* An encoder reads all its tokens at once, so it keeps no earlier rows. */
    Keeper *k = a->place == ENCODER ? NULL : x->tape->keeper;
    if (k) /* a decoder: sets a->position */
        k->enter(k, a, place, normed, y);
    /* The variant gets its weights all at once, and a guard after the last. */
    Node *own[p->declared + 1];
    memcpy(own, m->nodes + p->weights, (size_t)p->declared * sizeof *own);
    own[p->declared] = undeclared(x->tape);
    m->next += p->declared;
    Node *out = plugin_forward(p->variant, a, normed, y, own);
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
    int wide = (int)matrix_entries(m->config.mlp, d); /* fits an int */
    if (wide == 0)
        return x;
    Node *normed = model_norm(m, block, "norm2", x);
    Weight first = {
        .name = "W_1", .rows = d, .cols = wide, .deviation = 1 / sqrt(d)};
    Weight second = {
        .name = "W_2", .rows = wide, .cols = d, .deviation = 1 / sqrt(wide)};
    Node *w1 = model_weight(m, block, "mlp", first);
    Node *w2 = model_weight(m, block, "mlp", second);
    return residual(x, matmul(gelu(matmul(normed, w1)), w2));
}

Node *
model_classify(Model *m, Node *x)
{
    int d = m->attention.d_model, classes = m->sizes.classes;
    Weight map = {.rows = d, .cols = classes, .deviation = 1 / sqrt(d)};
    Node *normed = model_norm(m, NULL, "norm", x);
    return matmul(normed, model_weight(m, NULL, "unembedding", map));
}

static Node *
logits(Model *m, Tape *t, const Batch *b)
{
    int first = t->keeper ? t->keeper->position : 0;
    TokenIds tokens = {b->ids, b->each, b->rows, b->sequences, first};
    Node *table = model_table(m, "embedding", m->sizes.vocabulary);
    Node *positions = NULL;
    if (m->config.positions == POSITIONS_LEARNED)
        positions = model_table(m, "positions", m->sizes.tokens);
    Node *x = embed(table, positions, tokens);
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

const Architecture one_sequence = {.logits = logits, .loss = class_loss};

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
    m->attention.layers = c->layers;
    m->listing = tape_new(SHAPES_ONLY);
    architecture->logits(m, m->listing, &one);
    tape_free(m->listing);
    m->listing = NULL;
    m->nodes = allocate((size_t)m->count, sizeof *m->nodes);
    return m;
}

/* Draws the initial entries of a weight column by column. So two variants that
   divide the same columns into matrices differently begin as the same function.
 */
static void
draw_weight(Weight *w, Random *r)
{
    for (int j = 0; j < w->cols; j++)
        for (int i = 0; i < w->rows; i++) {
            double x = w->mean;
            if (w->deviation > 0)
                x += w->deviation * random_normal(r);
            w->value[i * w->cols + j] = (real)x;
        }
}

/* The weights of a part follow one another, and are drawn from the part's
   stream, which begins at the first of them. */
void
model_start(Model *m)
{
    Random r = {0};
    const char *part = ""; /* the previous weight's part */
    size_t at = 0;         /* index of the next weight's first entry */
    m->values = allocate(2 * m->parameters, sizeof *m->values);
    m->gradients = m->values + m->parameters;
    for (Weight *w = m->weights; w < m->weights + m->count; w++) {
        if (strcmp(part, w->part))
            r = random_stream((uint64_t)m->config.seed, w->part);
        part = w->part;
        w->value = m->values + at;
        w->gradient = m->gradients + at;
        draw_weight(w, &r);
        at += matrix_entries(w->rows, w->cols);
    }
}

void
model_free(Model *m)
{
    free(m->fixed.at);
    free(m->weights);
    free(m->place);
    free(m->values); /* and gradients */
    free(m->first);  /* and second */
    free(m->nodes);
    free(m);
}

Node *
model_forward(Model *m, Tape *t, const Batch *b)
{
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        Node *n = leaf(t, w->rows, w->cols, UNBATCHED, w->value, w->gradient);
        n->trained = !t->keeper; /* a decoder does not train */
        n->arguments = w->name;  /* for messages */
        m->nodes[i] = n;
    }
    m->next = m->next_place = 0;
    return m->architecture->logits(m, t, b);
}
