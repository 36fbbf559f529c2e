/* cost.c - what a variant costs at any shape, without running its arithmetic.

   On a tape for shapes, forward makes its nodes and computes nothing. The cost
   of a product follows from the shapes of its operands. The operator fixed_bias
   adds a bias by position to scores; a pair of query and key whose bias is
   -INFINITY is masked, and costs nothing. The first step of a decoder on such a
   tape shows what its cache keeps.

   In a node of fixed_bias, as in the scores, each sequence has a row for each
   query, and each head a column for each key. So there are rows / sequences
   queries, and cols / heads keys. */
#include <math.h>
#include <stdlib.h>

#include "algebra/capture.h"
#include "algebra/cost.h"
#include "algebra/operator_table.h"
#include "decode/cache.h"
#include "heart/fail.h"
#include "heart/tape.h"
#include "operators/biases.h"
#include "operators/scores_and_softmax.h"

/* Returns whether a fixed_bias leaves this pair of query and key unmasked in a
   head. */
static bool
is_seen(const Node *bias, int head, int query, int key)
{
    const PositionBias *b = bias->arguments;
    const Attention *a = &b->attention;
    return b->bias(a, head, a->position + query, key) > -INFINITY;
}

/* Returns whether `length` pairs at the same distance, the first of which is
   (query, key) and the last (query + length - 1, key + length - 1), are all
   masked or all unmasked. A long sequence has too many pairs, so only SAMPLES
   of them are compared with the first. */
static bool
is_uniform(const Node *bias, int head, int query, int key, int length)
{
    enum { SAMPLES = 8 };
    bool first = is_seen(bias, head, query, key);
    for (int i = 1; i <= SAMPLES; i++) {
        int step = (length - 1) * i / SAMPLES;
        if (is_seen(bias, head, query + step, key + step) != first)
            return false;
    }
    return true;
}

/* Returns how many pairs of query and key are unmasked in a head, if masking
   depends only on the distance key - query, as it usually does; NAN if it does
   not. */
static double
seen_by_distance(const Node *bias, int head)
{
    int queries = bias->rows / bias->sequences, keys = bias->cols / bias->heads;
    double seen = 0;
    for (int distance = 1 - queries; distance < keys; distance++) {
        /* the first pair at this distance is (query, key) */
        int query = distance < 0 ? -distance : 0, key = query + distance;
        int until_last_query = queries - query, until_last_key = keys - key;
        int pairs = until_last_query < until_last_key ? until_last_query
                                                      : until_last_key;
        if (!is_uniform(bias, head, query, key, pairs))
            return NAN;
        if (is_seen(bias, head, query, key))
            seen += pairs;
    }
    return seen;
}

/* The number of pairs of query and key that are unmasked in a head, whatever
   masking depends on. */
static double
seen_pair_by_pair(const Node *bias, int head)
{
    double seen = 0;
    for (int query = 0; query < bias->rows / bias->sequences; query++)
        for (int key = 0; key < bias->cols / bias->heads; key++)
            seen += is_seen(bias, head, query, key);
    return seen;
}

double
unmasked_share(const Node *bias)
{
    double sum = 0;
    for (int head = 0; head < bias->heads; head++) {
        double seen = seen_by_distance(bias, head);
        sum += isnan(seen) ? seen_pair_by_pair(bias, head) : seen;
    }
    double pairs_of_heads = (double)bias->rows / bias->sequences * bias->cols;
    return sum / pairs_of_heads;
}

/* The share of attention's weights that no fixed_bias has masked. A fixed_bias
   is found by going back from the weights through first operands. */
static double
unmasked_before(const Node *weights)
{
    double share = 1;
    const Node *n = weights->root;
    while (n->op) { /* until a leaf, which has no operator */
        if (n->op == &apply_weights_op.op)
            break; /* an earlier attention, which has its own masks */
        if (n->op == &fixed_bias_op)
            share *= unmasked_share(n);
        n = n->in[0]->root;
    }
    return share;
}

/* The share of the keys that the newest query, which has the last row, sees in
   at least one head. */
static double
seen_by_newest(const Node *bias)
{
    int newest = bias->rows / bias->sequences - 1;
    int keys = bias->cols / bias->heads, seen = 0;
    for (int key = 0; key < keys; key++) {
        bool in_some_head = false;
        for (int head = 0; head < bias->heads; head++)
            in_some_head |= is_seen(bias, head, newest, key);
        seen += in_some_head;
    }
    return (double)seen / keys;
}

/* Returns whether n is computed from these scores, through first operands
   only. */
static bool
comes_from(const Node *n, const Node *scores)
{
    while (n != scores && n->inputs > 0)
        n = n->in[0];
    return n == scores;
}

/* The product of share_of(n) over all nodes n of fixed_bias that are applied to
   these scores. They are newer than the scores; the newest node of the tape is
   `last`. share_of is unmasked_share or seen_by_newest. */
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

/* A multiply-add is two operations. */
#define MULTIPLY_ADD 2.

/* The FLOPs of scores, for queries q and keys k, or of weighted sums, for
   weights q and values k. In each head, each pair of a query and a key of its
   sequence, masked or not, needs a multiply-add for each of the `width` columns
   of the key or value. */
static double
pair_flops(const Node *q, const Node *k, int width)
{
    int queries = q->rows; /* of all sequences */
    int keys = k->rows / k->sequences;
    return MULTIPLY_ADD * queries * q->heads * keys * width;
}

/* The FLOPs of both passes of n, whose forward pass takes `forward`. The
   backward pass of C = A B has a product of the same size for each trained
   operand: dA = dC B' and dB = A' dC. A plugin's operator is assumed to cost as
   much for each trained operand. (Node.trained: it needs a gradient.) */
static Flops
with_backward(double forward, const Node *n)
{
    int trained = 0;
    for (int i = 0; i < n->inputs; i++)
        trained += n->in[i]->trained;
    return (Flops){forward, forward * trained};
}

/* The FLOPs of a node of attend: of the scores Q K', and of P V for the weights
   P, their softmax. P has the queries and heads of q. All pairs are counted,
   because attend has no fixed_bias. */
static Flops
attend_flops(const Node *q, const Node *k, const Node *v)
{
    double scores = pair_flops(q, k, q->cols / q->heads);
    double values = pair_flops(q, v, v->cols / v->heads);
    bool weights_trained = q->trained || k->trained; /* P needs a gradient */
    return (Flops){.forward = scores + values,
                   .backward = scores * (q->trained + k->trained) +
                               values * (weights_trained + v->trained)};
}

Flops
node_flops(const Node *n, const Node *last)
{
    Node *const *in = n->in;
    double forward = 0;
    switch (meaning_of(n)->work) {
    case NO_PRODUCTS:
        break;
    case MATRICES: /* (rows x inner) times (inner x cols) */
        forward = MULTIPLY_ADD * n->rows * n->cols * in[0]->cols;
        break;
    case MIXTURES: /* each head of n is a weighted sum of all heads of in[0],
                      so it takes a multiply-add for each entry of in[0] */
        forward = MULTIPLY_ADD * in[0]->rows * in[0]->cols * n->heads;
        break;
    case SCORING: /* the operands are queries and keys */
        forward = share_after(n, last, unmasked_share) *
                  pair_flops(in[0], in[1], in[0]->cols / in[0]->heads);
        break;
    case WEIGHTING: /* the operands are weights and values */
        forward = unmasked_before(in[0]) *
                  pair_flops(in[0], in[1], in[1]->cols / in[1]->heads);
        break;
    case ATTENDING:
        return attend_flops(in[0], in[1], in[2]);
    case UNKNOWN: /* a plugin's operator: NAN, unless it sets n->flops */
        forward = n->flops;
        break;
    }
    return with_backward(forward, n);
}

/* Counts the entries of the weights on which this block's output depends,
   except weights that were counted for an earlier block. backward_order links,
   by `next`, the nodes on which the output depends. Weights are the trained
   leaves that have a name in `arguments` (leaves_of). The flag `passed` belongs
   to the backward pass; a tape for shapes has none, so here it marks the
   weights that are already counted. */
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

/* The blocks of a variant on one tape for shapes, to be called one after
   another. Each call of forward gets new matrices and new tokens as x. */
typedef struct Blocks {
    const Variant *variant;
    Attention attention;
    Weights declared; /* the matrices of one block, without values */
    Tape *tape;
    int tokens;  /* rows of x */
    Node *other; /* y of every block, or NULL in self-attention */
} Blocks;

/* A leaf is trained if it has a gradient. On a tape for shapes nobody reads or
   writes gradients, so all leaves have this one. */
static real unused_gradient;

/* Starts a tape for blocks that read `tokens` rows as x. `keys` is the number
   of rows of y, or Y_IS_X. */
static Blocks
blocks_begin(const Variant *v, Attention a, int tokens, int keys)
{
    Blocks b = {.variant = v, .attention = a, .tokens = tokens};
    b.tape = tape_new(SHAPES_ONLY);
    b.declared = weights_declared(v, &a);
    for (int i = 0; i < b.declared.count; i++)
        b.declared.list[i].gradient = &unused_gradient;
    if (keys != Y_IS_X)
        b.other =
            leaf(b.tape, keys, a.d_model, UNBATCHED, NULL, &unused_gradient);
    return b;
}

/* Frees the tape and the declarations. */
static void
blocks_end(Blocks *b)
{
    free(b->declared.list);
    tape_free(b->tape);
}

/* Calls forward of block number `layer`, and returns its output. If the tape
   has a keeper, this is a step of a decoder. The keeper is told where the block
   begins and ends, since it notes which rows the block keeps for later steps.
 */
static Node *
call_block(Blocks *b, int layer)
{
    Attention a = b->attention;
    a.layer = layer;
    Keeper *keeper = b->tape->keeper;
    Node **w = leaves_of(b->tape, &b->declared);
    Node *x =
        leaf(b->tape, b->tokens, a.d_model, UNBATCHED, NULL, &unused_gradient);
    Node *y = b->other ? b->other : x;
    if (keeper)
        keeper->enter(keeper, &a, layer, x, y);
    Node *out = plugin_forward(b->variant, &a, x, y, w);
    if (keeper)
        keeper->leave(keeper);
    free(w);
    return out;
}

/* Adds the cost of one node to c, divided by the number of tokens. `last` is
   the newest node of the tape. */
static void
add_node(Cost *c, const Node *n, const Node *last, int tokens)
{
    const Meaning *m = meaning_of(n);
    Flops flops = node_flops(n, last);
    c->forward += flops.forward / tokens;
    c->backward += flops.backward / tokens;
    c->rotates |= m->rotates;
    c->state += n->state;
}

/* The share of the keys that the newest query sees in a block, in the call of
   attend in which it sees most. The nodes of the block are those from `last`
   back to the one after `before`. 1 if no operator compares queries with keys,
   or if a plugin's own operator may read every key. */
static double
share_seen(const Node *last, const Node *before)
{
    double most = 0;
    for (const Node *n = last; n != before; n = n->previous) {
        Work work = meaning_of(n)->work;
        if (work == UNKNOWN)
            return 1;
        if (work == SCORING || work == ATTENDING)
            most = fmax(most, share_after(n, last, seen_by_newest));
    }
    return most > 0 ? most : 1;
}

/* Calls forward of a block as in training, and adds the block's cost to c,
   except for its cache. Returns the share of the keys that the newest query
   sees. */
static double
add_block(Cost *c, Blocks *b, int layer)
{
    Tape *t = b->tape;
    const Node *before = t->last;
    size_t entries_before = t->entries;
    Node *out = call_block(b, layer);
    for (const Node *n = t->last; n != before; n = n->previous)
        add_node(c, n, t->last, b->tokens);
    c->parameters += parameters_of(out);
    c->activations += (double)(t->entries - entries_before) / b->tokens;
    return share_seen(t->last, before);
}

/* Calls each block twice: as in training, and as in the first step of a
   decoder, with a cache and a single token. If a block recalls what an earlier
   block remembered, it may see more of it than that block does, so then
   everything is kept as long as the block that sees most needs it. */
Cost
cost_of(const Variant *v, Attention a, int tokens, int keys)
{
    const int one_token = 1;
    Cost c = {0};
    double all = 0, most_seen = 0; /* entries per token, without windows */
    a.layers = a.layers > 1 ? a.layers : 1;
    Blocks trained = blocks_begin(v, a, tokens, keys);
    Blocks decoded = blocks_begin(v, a, one_token, keys);
    Cache *cache = cache_new(a.layers, one_token);
    decoded.tape->keeper = &cache->keeper;
    for (int layer = 0; layer < a.layers; layer++) {
        double seen = add_block(&c, &trained, layer);
        call_block(&decoded, layer);
        int entries = cache_entries(cache, layer);
        c.cache += entries * seen;
        all += entries;
        most_seen = fmax(most_seen, seen);
    }
    c.recalls = trained.tape->recalled > 0 || decoded.tape->recalled > 0;
    if (c.recalls)
        c.cache = all * most_seen;
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
            continue; /* the cost of layer 0 includes it (cost_of) */
        int tokens = encoder ? m->sizes.source : m->sizes.tokens;
        int keys = a.place == CROSS ? m->sizes.source : Y_IS_X;
        Cost c = cost_of(p->variant, a, tokens, keys);
        *flops += c.forward * tokens / m->sizes.tokens;
        if (!encoder) /* an encoder needs no cache */
            *cache += c.cache;
    }
}
