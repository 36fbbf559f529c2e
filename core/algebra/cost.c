/* cost.c - what a variant costs at any shape, without running its arithmetic.

   On a tape for shapes, forward makes its nodes and computes nothing. The cost
   of a product follows from the shapes of its operands. The first step of a
   decoder on such a tape shows what its cache keeps. */
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

/* Does the bias leave this pair of query and key unmasked in head h? */
static bool
is_seen(const Added *b, int h, int query, int key)
{
    const Attention *a = &b->attention;
    return b->bias(a, h, a->position + query, key) > -INFINITY;
}

/* The pairs of query and key at one distance: `length` of them, from this one
   on. */
typedef struct Diagonal {
    int query, key, length;
} Diagonal;

/* The diagonal of a matrix of scores in which keys are `distance` tokens after
   their queries. */
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

/* Are the pairs of a diagonal in four more rows and in four more columns masked
   exactly if its first pair is? */
static bool
is_uniform(const Added *b, int h, Diagonal d, int queries, int keys)
{
    bool first = is_seen(b, h, d.query, d.key);
    for (int eighths = 2; eighths <= 8; eighths += 2) {
        int row = (queries - 1) * eighths / 8,
            column = (keys - 1) * eighths / 8;
        int steps[] = {row - d.query, column - d.key};
        for (int i = 0; i < 2; i++) {
            int on = steps[i];
            if (on >= 0 && on < d.length &&
                is_seen(b, h, d.query + on, d.key + on) != first)
                return false;
        }
    }
    return true;
}

/* How many pairs of query and key a fixed_bias leaves unmasked in head h. Each
   distance is judged by its first pair as long as the mask seems to depend only
   on the distance; if it does not, all pairs are counted. */
static double
seen_by_head(const Node *bias, int h)
{
    const Added *b = bias->arguments;
    int queries = bias->rows / bias->sequences, keys = bias->cols / bias->heads;
    double seen = 0;
    bool by_distance = true;
    for (int distance = 1 - queries; distance < keys; distance++) {
        Diagonal d = diagonal_at(distance, queries, keys);
        by_distance = by_distance && is_uniform(b, h, d, queries, keys);
        seen += is_seen(b, h, d.query, d.key) ? d.length : 0;
    }
    if (by_distance)
        return seen;
    seen = 0;
    for (int query = 0; query < queries; query++)
        for (int key = 0; key < keys; key++)
            seen += is_seen(b, h, query, key);
    return seen;
}

double
unmasked_share(const Node *bias)
{
    double seen = 0;
    for (int h = 0; h < bias->heads; h++)
        seen += seen_by_head(bias, h);
    return seen / ((double)(bias->rows / bias->sequences) * bias->cols);
}

/* The share of the entries of weights n that no fixed_bias has masked. */
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
    const Added *b = bias->arguments;
    int newest = bias->rows / bias->sequences - 1;
    int keys = bias->cols / bias->heads, seen = 0;
    for (int key = 0; key < keys; key++) {
        bool in_some_head = false;
        for (int h = 0; h < bias->heads; h++)
            in_some_head |= b->bias(&b->attention, h, newest, key) != -INFINITY;
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

/* The product of the shares that each fixed_bias applied to these scores
   leaves, on a tape that ends with `last`; share_of(bias) is the share that one
   leaves. */
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

/* FLOPs of the product of every query with every key, or of every weight with
   every value, each `width` wide. Masked pairs are counted too. */
static double
pair_flops(const Node *q, const Node *keys, int width)
{
    return 2. * q->rows * q->heads * (keys->rows / keys->sequences) * width;
}

/* A multiply-add counts as two operations. In the backward pass each trained
   operand takes as many again. */
void
node_flops(const Node *n, const Node *last, double flops[2])
{
    const Node *a = n->inputs > 0 ? n->in[0] : n;
    const Node *b = n->inputs > 1 ? n->in[1] : n;
    const Node *v = n->inputs > 2 ? n->in[2] : n;
    double forward = 0, values = 0;
    switch (meaning_of(n)->work) {
    case MATRICES:
        forward = 2. * n->rows * n->cols * a->cols;
        break;
    case MIXTURES:
        forward = 2. * a->rows * a->cols * n->heads;
        break;
    case SCORING:
        forward = share_after(n, last, unmasked_share) *
                  pair_flops(a, b, a->cols / a->heads);
        break;
    case WEIGHTING:
        forward = unmasked_before(a) * pair_flops(a, b, b->cols / b->heads);
        break;
    case ATTENDING:
        forward = pair_flops(a, b, a->cols / a->heads);
        values = pair_flops(a, v, v->cols / v->heads);
        break;
    case UNKNOWN:
        forward = n->flops;
        break;
    case NO_PRODUCTS:
        break;
    }
    flops[0] = forward + values;
    flops[1] = forward * (a->trained + b->trained) +
               values * ((a->trained || b->trained) + v->trained);
}

/* Counts the entries of the weights on which this block's output depends, and
   no earlier block's. Weights are the trained leaves that have a name. */
static double
parameters_of(Node *out)
{
    double entries = 0;
    for (Node *n = backward_order(out->root); n; n = n->next)
        if (!n->op && n->trained && n->arguments && !n->passed) {
            n->passed = true;
            entries += (double)n->rows * n->cols;
        }
    return entries;
}

/* A variant whose blocks are called, one after the other, on a tape for shapes.
   Each block has its own matrices and tokens; all see the same other tokens. */
typedef struct Blocks {
    const Variant *variant;
    Attention attention; /* of the block at hand */
    Weights declared;
    Tape *tape;
    int tokens;
    Node *other; /* the other tokens, or NULL in self-attention */
} Blocks;

static real no_entry; /* an address, for leaves that nobody looks into */

/* Makes the tape for shapes and the matrices of a block, marked as trained. */
static Blocks
blocks_begin(const Variant *v, Attention a, int tokens, int keys)
{
    Blocks b = {.variant = v, .attention = a, .tokens = tokens};
    b.tape = tape_new(SHAPES_ONLY);
    b.declared = weights_declared(v, &a);
    for (int i = 0; i < b.declared.count; i++)
        b.declared.list[i].gradient = &no_entry;
    if (keys)
        b.other = leaf(b.tape, keys, a.d_model, 1, NULL, &no_entry);
    return b;
}

static void
blocks_end(Blocks *b)
{
    free(b->declared.list);
    tape_free(b->tape);
}

static Node *
tokens_of_block(const Blocks *b)
{
    return leaf(b->tape, b->tokens, b->attention.d_model, 1, NULL, &no_entry);
}

/* Calls forward of a block, and adds what it costs to c. */
static void
add_block(Cost *c, Blocks *b)
{
    Tape *t = b->tape;
    Node **w = leaves_of(t, &b->declared);
    Node *x = tokens_of_block(b);
    const Node *before = t->last;
    size_t entries = t->entries;
    Node *out = plugin_forward(b->variant, &b->attention, x,
                               b->other ? b->other : x, w);
    free(w);
    for (const Node *n = t->last; n != before; n = n->previous) {
        double flops[2];
        node_flops(n, t->last, flops);
        c->forward += flops[0] / b->tokens;
        c->backward += flops[1] / b->tokens;
        const Meaning *m = meaning_of(n);
        c->rotates |= m->rotates;
        c->state += n->state;
        if (m->work == UNKNOWN)
            c->kept = 1; /* it may read all that is kept */
        if (m->work == SCORING || m->work == ATTENDING)
            c->kept = fmax(c->kept, share_after(n, t->last, seen_by_newest));
    }
    c->parameters += parameters_of(out);
    c->activations += (double)(t->entries - entries) / b->tokens;
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

/* Runs each block twice on shapes: in training, and with a cache and a single
   token, as a decoder runs it. */
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
    c.kept = c.kept > 0 ? c.kept : 1;
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
        Attention a = m->place[place].attention;
        int tokens = a.place == ENCODER ? m->sizes.source : m->sizes.tokens;
        if (a.layer > 0)
            continue; /* cost_of has priced it with the first block */
        Cost c = cost_of(m->place[place].variant, a, tokens,
                         a.place == CROSS ? m->sizes.source : 0);
        *flops += c.forward * tokens / m->sizes.tokens;
        *cache += a.place == ENCODER ? 0 : c.cache;
    }
}
