/* cost.c - what a variant costs, at any shape and without computing it.

   On a measuring tape forward makes its nodes and computes nothing; each knows
   what its product costs. The keys and values of attend tell what a decoder
   keeps. */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "tape/label.h"
#include "tape/recording.h"
#include "tape/tape.h"
#include "variant/cost.h"

/* Nodes below one key or value. */
enum { MOST_VISITED = 1024 };
typedef struct Visited {
    Node *node[MOST_VISITED];
    int count;
} Visited;

/* Nodes that a decoder keeps a row of for each token, each once. */
typedef struct Kept {
    Node *node[2 * MOST_CALLS];
    int count;
} Kept;

static void
keep_node(Kept *kept, Node *root)
{
    for (int i = 0; i < kept->count; i++)
        if (kept->node[i] == root)
            return;
    if (kept->count < 2 * MOST_CALLS)
        kept->node[kept->count++] = root;
}

/* Keeps those that cached() marks at or below n; false if there are none. Each
   node is looked at once. */
static bool
keep_marked(Kept *kept, Node *n, Visited *visited)
{
    Node *root = n->root;
    bool found = root->kept_by_decoder;
    for (int i = 0; i < visited->count; i++)
        if (visited->node[i] == root)
            return found;
    if (visited->count == MOST_VISITED)
        return found;
    visited->node[visited->count++] = root;
    if (found)
        keep_node(kept, root);
    for (int i = 0; !root->kept_by_decoder && i < root->inputs; i++)
        found |= keep_marked(kept, root->in[i], visited);
    return found;
}

/* Numbers a token that a decoder keeps: what keys and values are made of where
   the variant says so, else keys and values themselves. */
static double
cache_of(const Recording *r)
{
    Kept kept = {.count = 0};
    double sum = 0;
    for (int i = 0; i < r->key_count && i < 2 * MOST_CALLS; i++) {
        Visited visited = {.count = 0};
        if (!keep_marked(&kept, r->keys[i], &visited))
            keep_node(&kept, r->keys[i]->root);
    }
    for (int i = 0; i < kept.count; i++)
        sum += kept.node[i]->cols;
    return r->key_count && r->key_count <= 2 * MOST_CALLS ? sum : NAN;
}

Cost
cost_of(const Variant *v, Attention a, const Weights *w, int tokens, int keys)
{
    Cost cost = {0};
    Recording recording = {.replaced = NOTHING};
    Tape *t = tape_measure();
    Node **weights = allocate((size_t)w->count, sizeof *weights);
    real trained; /* an address, for a tape that looks at none */
    a.recording = &recording;
    for (int i = 0; i < w->count; i++) {
        const Declared *d = &w->list[i];
        weights[i] = leaf(t, d->rows, d->cols, 1, NULL, &trained);
        name_leaf(weights[i], d->name);
        cost.parameters += (double)d->rows * d->cols;
    }
    Node *x = leaf(t, tokens, a.d_model, 1, NULL, &trained), *y = x;
    if (keys)
        y = leaf(t, keys, a.d_model, 1, NULL, &trained);
    plugin_forward_earlier(v, &a, x, y, weights);
    Node *last = tape_last(t);
    size_t before = tape_entries(t);
    for (Node *n = plugin_forward(v, &a, x, y, weights); n && n != last;
         n = n->previous) {
        cost.forward += n->flops[0] / tokens;
        cost.backward += n->flops[1] / tokens;
    }
    cost.activations = (double)(tape_entries(t) - before) / tokens;
    cost.cache = cache_of(&recording);
    free(weights);
    tape_free(t);
    return cost;
}

double
causal_pairs(const Variant *v, Attention a, int tokens)
{
    Weights w = weights_declared(v, &a);
    Cost c = cost_of(v, a, &w, tokens, 0);
    weights_free(&w);
    return 3 * (c.forward - 2 * c.parameters) * (tokens + 1) / (2. * tokens);
}
