/* cost.c - what a variant costs, at any shape and without computing it.

   On a tape for shapes forward makes its nodes and computes nothing; what a
   product costs follows from the shapes of its operands. What a decoder keeps
   is found by its own first step. */
#include <math.h>
#include <stdlib.h>

#include "algebra/capture.h"
#include "algebra/cost.h"
#include "algebra/meaning.h"
#include "decode/cache.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "heart/operators.h"
#include "heart/tape.h"
#include "operators/biases.h"
#include "operators/steps.h"

/* How many entries of head h of fixed_bias are not masked. Row 0 and column 0
   have each distance of query and key once. If eight more rows and columns
   agree with them, the mask is taken to depend on the distance only, and each
   distance counts as often as it occurs; otherwise every entry is looked at. */
static double
seen_by_head(const Node *bias, int h)
{
    enum { LINES = 8 };
    const Added *b = bias->arguments;
    const Attention *a = &b->attention;
    int tokens = bias->rows / bias->sequences, keys = bias->cols / bias->heads;
    double seen = 0, all = 0;
    bool same = true;
    for (int i = 1 - tokens; i < keys; i++) {
        int query = i < 0 ? -i : 0, key = query + i;
        int often = tokens - query < keys - key ? tokens - query : keys - key;
        bool first = b->bias(a, h, a->position + query, key) > -INFINITY;
        seen += first ? often : 0;
        for (int k = 2; same && k <= LINES + 1; k++) {
            int on = k % 2 ? (tokens - 1) * (k - 1) / LINES - query
                           : (keys - 1) * k / LINES - key;
            same = on < 0 || on >= often ||
                   first == (b->bias(a, h, a->position + query + on, key + on) >
                             -INFINITY);
        }
    }
    for (int i = 0; !same && i < tokens; i++)
        for (int j = 0; j < keys; j++)
            all += b->bias(a, h, a->position + i, j) > -INFINITY;
    return same ? seen : all;
}

double
unmasked_share(const Node *bias)
{
    double seen = 0;
    for (int h = 0; h < bias->heads; h++)
        seen += seen_by_head(bias, h);
    return seen / ((double)(bias->rows / bias->sequences) * bias->cols);
}

/* The share of the entries of n that no fixed_bias before it masks. */
static double
seen_of(const Node *n)
{
    if (n->root != n)
        return seen_of(n->root);
    if (!n->op || n->op == &apply_weights_op.op)
        return 1;
    return seen_of(n->in[0]) *
           (n->op == &fixed_bias_op ? unmasked_share(n) : 1);
}

/* The share of the keys that the newest query sees in some head. */
static double
seen_by_newest(const Node *bias)
{
    const Added *b = bias->arguments;
    int newest = bias->rows / bias->sequences - 1, keys = bias->cols;
    keys /= bias->heads;
    double seen = 0;
    for (int key = 0; key < keys; key++) {
        int h = 0;
        while (h < bias->heads &&
               b->bias(&b->attention, h, newest, key) == -INFINITY)
            h++;
        seen += h < bias->heads;
    }
    return seen / keys;
}

/* The product of the shares that each fixed_bias after these scores leaves, on
   a tape that ends with `last`; by(bias) is the share of one. */
static double
share_after(const Node *scores, const Node *last, double (*by)(const Node *))
{
    double share = 1;
    for (const Node *n = last; n != scores; n = n->previous) {
        const Node *of = n;
        while (n->op == &fixed_bias_op && of->inputs && of != scores)
            of = of->in[0];
        share *= of == scores ? by(n) : 1;
    }
    return share;
}

/* FLOPs of a product of every query with every key, or weight with value, each
   `width` wide. Masked pairs are counted too. */
static double
pair_flops(const Node *q, const Node *keys, int width)
{
    return 2. * q->rows * q->heads * (keys->rows / keys->sequences) * width;
}

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
        forward = seen_of(a) * pair_flops(a, b, b->cols / b->heads);
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

/* Entries of the weights on which the block's output depends, and no earlier
   block's. They are the trained leaves that have a name. */
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

/* Adds what a block costs that has put nodes on the tape since `before`, and
   returned `out`. */
static void
add_block(Cost *c, const Tape *t, const Node *before, Node *out, int tokens)
{
    for (const Node *n = t->last; n != before; n = n->previous) {
        double flops[2];
        node_flops(n, t->last, flops);
        c->forward += flops[0] / tokens;
        c->backward += flops[1] / tokens;
        const Meaning *m = meaning_of(n);
        c->rotates |= m->rotates;
        c->state += n->state;
        if (m->work == UNKNOWN)
            c->kept = 1; /* it may read all that is kept */
        if (m->work == SCORING || m->work == ATTENDING)
            c->kept = fmax(c->kept, share_after(n, t->last, seen_by_newest));
    }
    c->parameters += parameters_of(out);
}

/* Calls forward of each block on a tape for shapes. Each has matrices and
   tokens of its own, but all see the same other tokens. What it costs is added
   to c; or if there is a cache, what a decoder keeps, whose first step that
   is. */
static void
run_blocks(const Variant *v, Attention a, int tokens, int keys, Cache *cache,
           Cost *c)
{
    static real no_entry; /* an address, for leaves that nobody looks into */
    Tape *t = tape_new(SHAPES_ONLY);
    Weights declared = weights_declared(v, &a);
    Node *other = NULL;
    for (int i = 0; i < declared.count; i++)
        declared.list[i].gradient = &no_entry;
    t->keeper = cache ? &cache->keeper : NULL;
    if (keys)
        other = leaf(t, keys, a.d_model, 1, NULL, &no_entry);
    for (a.layer = 0; a.layer < a.layers; a.layer++) {
        Node **w = leaves_of(t, &declared);
        Node *x = leaf(t, tokens, a.d_model, 1, NULL, &no_entry);
        Node *y = other ? other : x, *before = t->last;
        size_t entries = t->entries;
        if (cache)
            t->keeper->enter(t->keeper, &a, a.layer, x, y);
        Node *out = plugin_forward(v, &a, x, y, w);
        free(w);
        if (cache) {
            t->keeper->leave(t->keeper);
            c->cache += cache_entries(cache, a.layer);
            continue;
        }
        add_block(c, t, before, out, tokens);
        c->activations += (double)(t->entries - entries) / tokens;
    }
    c->recalls |= t->recalled > 0;
    free(declared.list);
    tape_free(t);
}

Cost
cost_of(const Variant *v, Attention a, int tokens, int keys)
{
    Cost c = {0};
    a.layers = a.layers > 1 ? a.layers : 1;
    Cache *cache = cache_new(a.layers, 1);
    run_blocks(v, a, tokens, keys, NULL, &c);
    run_blocks(v, a, 1, keys, cache, &c);
    cache_free(cache);
    c.kept = c.kept > 0 ? c.kept : 1;
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
