/* cost.c - what a variant costs at any shape, without running its arithmetic.

   On a tape for shapes, forward makes its nodes and computes nothing. The cost
   of a product follows from the shapes of its operands; a pair of query and key
   that a fixed_bias masks (whose bias is -INFINITY) costs nothing. The first
   step of a decoder on such a tape shows what its cache keeps. */
#include <math.h>
#include <stdlib.h>

#include "algebra/capture.h"
#include "algebra/cost.h"
#include "algebra/operator_table.h"
#include "decode/cache.h"
#include "heart/fail.h"
#include "heart/tape.h"
#include "operators/biases.h"
#include "operators/steps.h"

/* A fixed_bias as a mask: the pairs of query and key that one head does not
   see are those whose bias is -INFINITY. */
typedef struct Mask {
    const PositionBias *bias;
    int head, queries, keys;
} Mask;

static Mask
mask_of_head(const Node *bias, int head)
{
    return (Mask){.bias = bias->arguments,
                  .head = head,
                  .queries = bias->rows / bias->sequences,
                  .keys = bias->cols / bias->heads};
}

static bool
is_seen(const Mask *m, int query, int key)
{
    const Attention *a = &m->bias->attention;
    return m->bias->bias(a, m->head, a->position + query, key) > -INFINITY;
}

/* The pairs of query and key at one distance: `length` of them, the first of
   which is (query, key). */
typedef struct Diagonal {
    int query, key, length;
} Diagonal;

/* The pairs whose keys are `distance` tokens after their queries, or before
   them if `distance` is negative. */
static Diagonal
diagonal_at(int distance, int queries, int keys)
{
    Diagonal d = {.query = distance < 0 ? -distance : 0};
    d.key = d.query + distance;
    d.length = queries - d.query;
    if (keys - d.key < d.length)
        d.length = keys - d.key;
    return d;
}

/* Does the mask treat pair number `index` of a diagonal as it treats the first
   one? True if the diagonal has no such pair. */
static bool
is_as_first(const Mask *m, Diagonal d, int index)
{
    if (index < 0 || index >= d.length)
        return true;
    return is_seen(m, d.query + index, d.key + index) ==
           is_seen(m, d.query, d.key);
}

/* Does the mask treat a whole diagonal alike, as far as samples tell? The
   samples are in four rows and four columns, the last of them included. */
static bool
is_uniform(const Mask *m, Diagonal d)
{
    for (int quarter = 1; quarter <= 4; quarter++) {
        int row = (m->queries - 1) * quarter / 4;
        int column = (m->keys - 1) * quarter / 4;
        if (!is_as_first(m, d, row - d.query) ||
            !is_as_first(m, d, column - d.key))
            return false;
    }
    return true;
}

/* How many pairs of query and key are seen, from one pair per distance. NAN if
   the mask does not depend on the distance only. */
static double
seen_by_distance(const Mask *m)
{
    double seen = 0;
    for (int distance = 1 - m->queries; distance < m->keys; distance++) {
        Diagonal d = diagonal_at(distance, m->queries, m->keys);
        if (!is_uniform(m, d))
            return NAN;
        seen += is_seen(m, d.query, d.key) ? d.length : 0;
    }
    return seen;
}

static double
seen_pair_by_pair(const Mask *m)
{
    double seen = 0;
    for (int query = 0; query < m->queries; query++)
        for (int key = 0; key < m->keys; key++)
            seen += is_seen(m, query, key);
    return seen;
}

double
unmasked_share(const Node *bias)
{
    double share = 0;
    for (int head = 0; head < bias->heads; head++) {
        Mask m = mask_of_head(bias, head);
        double seen = seen_by_distance(&m);
        if (isnan(seen))
            seen = seen_pair_by_pair(&m);
        share += seen;
    }
    return share / ((double)(bias->rows / bias->sequences) * bias->cols);
}

/* The share of the entries of attention's weights, the node n, that no
   fixed_bias on the way from its scores has masked. */
static double
unmasked_before(const Node *n)
{
    double share = 1;
    for (n = n->root; n->op && n->op != &apply_weights_op.op;
         n = n->in[0]->root)
        if (n->op == &fixed_bias_op)
            share *= unmasked_share(n);
    return share;
}

/* The share of the keys that the newest query sees in some head. */
static double
seen_by_newest(const Node *bias)
{
    int newest = bias->rows / bias->sequences - 1;
    int keys = bias->cols / bias->heads, seen = 0;
    for (int key = 0; key < keys; key++) {
        bool in_some_head = false;
        for (int head = 0; head < bias->heads; head++) {
            Mask m = mask_of_head(bias, head);
            in_some_head |= is_seen(&m, newest, key);
        }
        seen += in_some_head;
    }
    return (double)seen / keys;
}

/* Is n computed from these scores, through first operands only? */
static bool
comes_from(const Node *n, const Node *scores)
{
    while (n != scores && n->inputs > 0)
        n = n->in[0];
    return n == scores;
}

/* The product of share_of(bias) over each fixed_bias that is applied to these
   scores, on a tape whose newest node is `last`. share_of is unmasked_share or
   seen_by_newest. */
static double
share_after(const Node *scores, const Node *last,
            double (*share_of)(const Node *))
{
    double share = 1;
    for (const Node *n = last; n != scores; n = n->previous)
        if (n->op == &fixed_bias_op && comes_from(n, scores))
            share *= share_of(n);
    return share;
}

/* The columns of each head. */
static int
head_width(const Node *n)
{
    return n->cols / n->heads;
}

/* The FLOPs of a product over all pairs of a query and a key, masked or not, in
   all heads of q: `width` multiply-adds for each pair. */
static double
pair_flops(const Node *q, const Node *k, int width)
{
    int keys = k->rows / k->sequences;
    return 2. * q->rows * q->heads * keys * width;
}

/* The backward pass of C = A B has one product of the same size for each
   trained operand: dA = dC B' and dB = A' dC. A plugin's operator is assumed to
   cost as much again, too, for each of its trained operands. */
static Flops
with_backward(double forward, const Node *n)
{
    int trained = 0;
    for (int i = 0; i < n->inputs; i++)
        trained += n->in[i]->trained;
    return (Flops){forward, forward * trained};
}

/* The FLOPs of attention in one node: scores P = Q K' and then P V. P needs a
   gradient if q or k does. */
static Flops
attend_flops(const Node *q, const Node *k, const Node *v)
{
    double scores = pair_flops(q, k, head_width(q));
    double values = pair_flops(q, v, head_width(v));
    bool scores_trained = q->trained || k->trained;
    return (Flops){.forward = scores + values,
                   .backward = scores * (q->trained + k->trained) +
                               values * (scores_trained + v->trained)};
}

Flops
node_flops(const Node *n, const Node *last)
{
    Node *const *in = n->in;
    switch (meaning_of(n)->work) {
    case NO_PRODUCTS:
        break;
    case MATRICES: /* (rows x inner) times (inner x cols) */
        return with_backward(2. * n->rows * n->cols * in[0]->cols, n);
    case MIXTURES: /* each head of the result is a sum over heads of in[0] */
        return with_backward(2. * size_of(in[0]) * n->heads, n);
    case SCORING: /* in: queries, keys */
        return with_backward(share_after(n, last, unmasked_share) *
                                 pair_flops(in[0], in[1], head_width(in[0])),
                             n);
    case WEIGHTING: /* in: weights, values */
        return with_backward(unmasked_before(in[0]) *
                                 pair_flops(in[0], in[1], head_width(in[1])),
                             n);
    case ATTENDING:
        return attend_flops(in[0], in[1], in[2]);
    case UNKNOWN: /* a plugin's operator says itself what it costs, or NAN */
        return with_backward(n->flops, n);
    }
    return (Flops){0, 0};
}

/* Counts the entries of the weights on which this block's output depends, and
   no earlier block's. Weights are the trained leaves that have a name. On a
   tape for shapes no backward pass uses `passed`, so here it marks the weights
   that are counted. */
static double
parameters_of(Node *out)
{
    double entries = 0;
    for (Node *n = backward_order(out->root); n; n = n->next) {
        bool is_weight = !n->op && n->trained && n->arguments;
        if (is_weight && !n->passed) {
            n->passed = true;
            entries += (double)size_of(n);
        }
    }
    return entries;
}

/* The blocks of a variant on one tape for shapes. They are called one after
   another, each with its own matrices and its own tokens as x. */
typedef struct Blocks {
    const Variant *variant;
    Attention attention; /* of the block that is called next */
    Weights declared;    /* the matrices of one block, without values */
    Tape *tape;
    int tokens;  /* rows of x */
    Node *other; /* y of every block, or NULL in self-attention */
} Blocks;

/* A leaf that is given a gradient counts as trained. On a tape for shapes
   nobody reads or writes gradients, so all leaves are given this one. */
static real unused_gradient;

/* `keys` is the number of rows of y, or 0 in self-attention. */
static Blocks
blocks_begin(const Variant *v, Attention a, int tokens, int keys)
{
    Blocks b = {.variant = v, .attention = a, .tokens = tokens};
    b.tape = tape_new(SHAPES_ONLY);
    b.declared = weights_declared(v, &a);
    for (int i = 0; i < b.declared.count; i++)
        b.declared.list[i].gradient = &unused_gradient;
    if (keys)
        b.other = leaf(b.tape, keys, a.d_model, 1, NULL, &unused_gradient);
    return b;
}

static void
blocks_end(Blocks *b)
{
    free(b->declared.list);
    tape_free(b->tape);
}

/* A new leaf for the tokens that a block reads as x. */
static Node *
tokens_of_block(const Blocks *b)
{
    return leaf(b->tape, b->tokens, b->attention.d_model, 1, NULL,
                &unused_gradient);
}

/* Adds what one node costs to c, per token. `last` is the newest node of the
   tape. */
static void
add_node(Cost *c, const Node *n, const Node *last, int tokens)
{
    const Meaning *m = meaning_of(n);
    Flops flops = node_flops(n, last);
    c->forward += flops.forward / tokens;
    c->backward += flops.backward / tokens;
    c->rotates |= m->rotates;
    c->state += n->state;
    if (m->work == UNKNOWN)
        c->seen = 1; /* it may read every key */
    if (m->work == SCORING || m->work == ATTENDING)
        c->seen = fmax(c->seen, share_after(n, last, seen_by_newest));
}

/* Calls forward of a block as in training, and adds what it costs to c. */
static void
add_block(Cost *c, Blocks *b)
{
    Tape *t = b->tape;
    Node **w = leaves_of(t, &b->declared);
    Node *x = tokens_of_block(b), *y = b->other ? b->other : x;
    const Node *before = t->last;
    size_t entries_before = t->entries;
    Node *out = plugin_forward(b->variant, &b->attention, x, y, w);
    free(w);
    for (const Node *n = t->last; n != before; n = n->previous)
        add_node(c, n, t->last, b->tokens);
    c->parameters += parameters_of(out);
    c->activations += (double)(t->entries - entries_before) / b->tokens;
}

/* Calls forward of a block as the first step of a decoder, and returns how many
   entries the cache then keeps of a token. */
static double
cached_by_block(Cache *cache, Blocks *b)
{
    Keeper *keeper = b->tape->keeper;
    Attention *a = &b->attention;
    Node **w = leaves_of(b->tape, &b->declared);
    Node *x = tokens_of_block(b), *y = b->other ? b->other : x;
    keeper->enter(keeper, a, a->layer, x, y);
    plugin_forward(b->variant, a, x, y, w);
    keeper->leave(keeper);
    free(w);
    return cache_entries(cache, a->layer);
}

/* Runs each block twice on shapes: as in training, and as a decoder runs it,
   with a cache and a single token. */
Cost
cost_of(const Variant *v, Attention a, int tokens, int keys)
{
    Cost c = {0};
    a.layers = a.layers > 1 ? a.layers : 1;
    Blocks trained = blocks_begin(v, a, tokens, keys);
    Blocks decoded = blocks_begin(v, a, 1, keys);
    Cache *cache = cache_new(a.layers, 1);
    decoded.tape->keeper = &cache->keeper;
    for (int layer = 0; layer < a.layers; layer++) {
        trained.attention.layer = layer;
        add_block(&c, &trained);
    }
    for (int layer = 0; layer < a.layers; layer++) {
        decoded.attention.layer = layer;
        c.cache += cached_by_block(cache, &decoded);
    }
    c.recalls = trained.tape->recalled > 0 || decoded.tape->recalled > 0;
    if (c.seen == 0) /* no operator compares queries with keys */
        c.seen = 1;
    cache_free(cache);
    blocks_end(&trained);
    blocks_end(&decoded);
    return c;
}

void
model_cost(const Model *m, double *flops, double *cache)
{
    *flops = *cache = 0;
    for (int place = 0; place < m->places; place++) {
        const ModelPlace *p = &m->place[place];
        Attention a = p->attention;
        bool encoder = a.place == ENCODER;
        if (a.layer > 0)
            continue; /* cost_of counted it with the first block of its kind */
        int tokens = encoder ? m->sizes.source : m->sizes.tokens;
        int keys = a.place == CROSS ? m->sizes.source : 0;
        Cost c = cost_of(p->variant, a, tokens, keys);
        *flops += c.forward * tokens / m->sizes.tokens;
        *cache +=
            encoder ? 0 : c.cache; /* a decoder does not run the encoder */
    }
}
