/* accounts.c - what a published model stores and costs.

   Let each of g groups of heads have k columns in a key, of which r are
   rotated, and v in a value. The following parameters can change without
   changing the output:

       g (k - r)^2    GL(k - r) between W^Q and W^K'
       g r            a complex number for each pair of rotated columns
       g v^2          GL(v) between W^V and W^O
       g (k - r)      b^K: it adds the same to all scores of a row, unless a
                      rotation makes that depend on the distance
       g v            b^V: weights sum to 1, so b^O can absorb it, unless there
                      are sinks
       r / 2 + k - r  the gains of the norms of queries and keys, if all heads
                      share them; such a norm leaves nothing else free. g times
                      that if each head has its own
       n (n + 1) / 2  O(n) and a gain behind the norm of a latent of n
       g v (v - 1) /2 O(v), if values are normed without a gain; nothing if they
                      are the keys, whose gains no rotation leaves as is

       g r / 2        if queries and keys are normed after the rotation: of
                      those complex numbers, what does not change a norm
       g v            if a gate multiplies the heads' output, entry by entry: a
                      factor for each column of W^V; b^O cannot absorb b^V
       r^2            if a latent's r columns are not rotated
       h              if scores have a bias for each distance: the same may be
                      added to all; h more in an encoder, where a bucket of 0
                      tokens to the right is never read

   A product of a rank lower than its inner width leaves more free: keys and
   values made from fewer columns, if no norm is between. A layer that has the
   keys and values of an earlier one adds nothing: both are written in the same
   k and v columns. */
#include <math.h>
#include <string.h>

#include "models/published.h"

/* The dimensions of the gauge in a product of (rows x inner) and (inner x
   columns). */
static double
free_within(double inner, double rows, double columns)
{
    double rank = fmin(inner, fmin(rows, columns));
    return inner * (rows + columns) - rank * (rows + columns - rank);
}

Account
layer_account(const Published *p, int tokens)
{
    Account all = {0};
    double d = p->d_model, h = p->heads, g = p->groups, k = p->d_k, v = p->d_v;
    double n = p->latent, m = p->query_latent, r = p->rope, own = !p->shared;
    double added = n > 0 ? r : 0, plain = k + added - r;
    double sinks = published_has(p, "sinks") ? h : 0;
    bool gated = published_has(p, "gated");
    all.state += p->state;
    if (p->linear)
        return all;
    bool full = published_has(p, "full-norm");

    /* The maps of q, k, v and o; and of latents, with gains behind them. */
    double rows[] = {m > 0 ? m : d, p->kdim, p->vdim, h * v};
    double columns[] = {h * (k + added) + (gated ? h * v : 0), own * g * k,
                        p->keys_are_values ? 0 : own * g * v, d};
    double matrices = d * m + (n > 0 ? d * (n + r) : 0);
    double rest = n + m + sinks + h * p->buckets;
    for (int i = 0; i < 4; i++) {
        matrices += rows[i] * columns[i];
        rest += strchr(p->biases, "qkvo"[i]) ? columns[i] : 0;
    }

    /* The dimensions of the gauge in scores and in values, with all that
   changes them. */
    double q = rows[0] + (strchr(p->biases, 'q') ? 1 : 0);
    double scores = g * free_within(plain, p->kdim, h / g * q);
    double values = g * free_within(v, p->vdim, h / g * d);
    scores += n == 0 ? g * r : published_has(p, "rope") ? r : r * r;
    if (strchr(p->biases, 'k'))
        scores += g * plain;
    if (strchr(p->biases, 'v') && strchr(p->biases, 'o') && sinks == 0 &&
        !gated)
        values += g * v;
    if (full || published_has(p, "head-norm")) {
        rest += k * (full ? h + own * g : 1 + own);
        scores = (r / 2 + plain) * (full ? g : 1);
    }
    if (p->unit_norm && r > 0)
        scores = g * r / 2;
    if (gated)
        values = g * v;
    if (p->buckets > 0)
        scores += p->encoders ? 2 * h : h;
    if (published_has(p, "value-norm"))
        values = p->keys_are_values ? 0 : g * v * (v - 1) / 2;

    double kept = p->encoders ? 0 : n > 0 ? n + r : own * g * (k + v);
    double seen = fmin(p->window, tokens);
    all.stored += matrices + rest;
    all.gauge += own * (n * (n + 1) / 2 + m * (m + 1) / 2 + scores + values);
    all.flops += 2 * (matrices + h * (k + added + v) * seen);
    all.cache += kept * seen;
    all.unwindowed += kept * tokens;
    return all;
}

Account
published_account(const Published *model, int tokens)
{
    Account all = {0};
    for (int i = 0; i < model->layers; i++) {
        Account layer = layer_account(&model->each[i], tokens);
        all.stored += layer.stored;
        all.gauge += layer.gauge;
        all.flops += layer.flops;
        all.cache += layer.cache;
        all.unwindowed += layer.unwindowed;
        all.state += layer.state;
    }
    return all;
}
