/* cost.c - what a variant costs, at any shape and without computing it.

   On a tape for shapes forward makes its nodes and computes nothing; what a
   product costs follows from the shapes of its operands. The keys and values of
   attend tell what a decoder keeps. */
#include <math.h>
#include <stdlib.h>

#include "algebra/cost.h"
#include "algebra/capture.h"
#include "heart/attention.h"
#include "heart/composed.h"
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/operators.h"
#include "heart/tape.h"

/* Adds what a decoder keeps of n's token: the nodes that cached() marks at or
   below it; false if there are none. No gradients are computed here, so
   `touched` marks the nodes that were looked at, `passed` those that are kept,
   or made from what is. */
static bool
keep_marked(Node *n, double *kept)
{
    Node *root = n->root;
    if (!root->touched) {
        root->touched = true;
        root->passed = root->kept_by_decoder;
        *kept += root->kept_by_decoder ? root->cols : 0;
        for (int i = 0; !root->kept_by_decoder && i < root->inputs; i++)
            root->passed |= keep_marked(root->in[i], kept);
    }
    return root->passed;
}

/* Numbers a token that a decoder keeps: what keys and values are made of where
   the variant says so, else keys and values themselves, each once. */
static double
cache_of(const Capture *r)
{
    double kept = 0;
    for (int i = 0; i < r->key_count; i++) {
        Node *root = r->keys[i]->root;
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= r->keys[k]->root == root;
        if (!again && !keep_marked(root, &kept))
            kept += root->cols;
    }
    return r->key_count ? kept : NAN;
}

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

/* Is n computed from these scores, row by row? */
static bool
reaches(const Node *n, const Node *scores)
{
    bool found = n == scores;
    for (int i = 0; !found && i < n->inputs; i++)
        found = n->in[i]->rows == n->rows && reaches(n->in[i], scores);
    return found;
}

/* The share of scores that is needed: not what a fixed_bias after them masks,
   on a tape that ends with `last`. */
static double
needed(const Node *scores, const Node *last)
{
    double share = 1;
    for (const Node *n = last; n != scores; n = n->previous)
        if (n->op == &fixed_bias_op && reaches(n->in[0], scores))
            share *= unmasked_share(n);
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
    flops[0] = 0;
    if (n->op == &matmul_op.op || n->op == &matmul_t_op.op)
        flops[0] = 2. * n->rows * n->cols * a->cols;
    else if (n->op == &mix_heads_op.op)
        flops[0] = 2. * a->rows * a->cols * n->heads;
    else if (n->op == &scores_op.op)
        flops[0] = needed(n, last) * pair_flops(a, b, a->cols / a->heads);
    else if (n->op == &apply_weights_op.op)
        flops[0] = seen_of(a) * pair_flops(a, b, b->cols / b->heads);
    flops[1] = flops[0] * (a->trained + b->trained);
    if (n->op == &attend_op) {
        const Node *v = n->in[2];
        double to_score = pair_flops(a, b, a->cols / a->heads);
        double to_weigh = pair_flops(a, v, v->cols / v->heads);
        flops[0] = to_score + to_weigh;
        flops[1] = to_score * (a->trained + b->trained) +
                   to_weigh * ((a->trained || b->trained) + v->trained);
    }
}

Cost
cost_of(const Variant *v, Attention a, const Weights *w, int tokens, int keys)
{
    Cost cost = {0};
    Capture capture = {.replaced = NOTHING};
    Tape *t = tape_new(SHAPES_ONLY);
    Node **weights = allocate((size_t)w->count, sizeof *weights);
    real trained; /* an address, for a tape that looks at none */
    for (int i = 0; i < w->count; i++) {
        const Weight *d = &w->list[i];
        weights[i] = leaf(t, d->rows, d->cols, 1, NULL, &trained);
        weights[i]->arguments = d->name;
        cost.parameters += (double)d->rows * d->cols;
    }
    Node *x = leaf(t, tokens, a.d_model, 1, NULL, &trained), *y = x;
    if (keys)
        y = leaf(t, keys, a.d_model, 1, NULL, &trained);
    forward_earlier(v, &a, x, y, weights);
    Node *last = t->last;
    capture_start(&capture, t);
    size_t before = t->entries;
    const Node *n = plugin_forward(v, &a, x, y, weights);
    for (; n && n != last; n = n->previous) {
        double flops[2];
        node_flops(n, t->last, flops);
        cost.forward += flops[0] / tokens;
        cost.backward += flops[1] / tokens;
    }
    cost.activations = (double)(t->entries - before) / tokens;
    cost.cache = cache_of(&capture);
    cost.rotates = capture.rotated;
    free(weights);
    tape_free(t);
    return cost;
}
