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

/* Adds what a decoder keeps of n's token: the nodes that cached() marks at or
   below it; false if there are none. A measuring tape has no gradients: here
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
cache_of(const Recording *r)
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
