/* accounts.c - what a published model stores and costs.

   With k columns in a key, v in a value, of each of g groups of heads:

       g (k - r)^2    GL(k - r) between W^Q and W^K', of r rotated columns
       g r            a complex number for each pair of rotated columns
       g v^2          GL(v) between W^V and W^O
       g (k - r)      b^K: it adds the same to all scores of a row, unless a
                      rotation makes that depend on the distance
       g v            b^V: weights sum to 1, so b^O can have it, if there are
                      no sinks
       r / 2 + k - r  the gains of norms between, of each head alike; their norm
                      leaves nothing else free. g times that if each has its own
       n (n + 1) / 2  O(n) and a gain behind the norm of a latent of n
       g v (v - 1) / 2  O(v), if values are normed without a gain; nothing if
                      they are the keys, whose gain allows no rotation
       0              a layer that has the keys and values of an earlier one:
   what is free between is that layer's, and counted there

   Where keys or values are made from fewer than k or v columns, a product has a
   lower rank than its inner width, and more is free.
*/
#include <math.h>
#include <string.h>

#include "models/published.h"

/* What is free in a product of (rows x inner) and (inner x columns). */
static double
free_within(double inner, double rows, double columns)
{
    double rank = fmin(inner, fmin(rows, columns));
    return inner * (rows + columns) - rank * (rows + columns - rank);
}

/* Of a layer that makes its keys and values itself. */
static double
gauge_of(const Published *p)
{
    double d = p->d_model, h = p->heads, g = p->groups, k = p->d_k, v = p->d_v;
    double n = p->latent, m = p->query_latent, r = p->rope;
    double plain = n > 0 ? k : k - r, gains = r / 2 + plain;
    bool q = strchr(p->biases, 'q'), sinks = published_has(p, "sinks");
    double scores = g * free_within(plain, p->kdim, h / g * (d + q));
    double values = g * free_within(v, p->vdim, h / g * d);
    scores += n > 0 ? r : g * r;
    if (strchr(p->biases, 'k'))
        scores += g * plain;
    if (strchr(p->biases, 'v') && strchr(p->biases, 'o') && !sinks)
        values += g * v;
    if (published_has(p, "head-norm"))
        scores = gains;
    if (published_has(p, "full-norm"))
        scores = g * gains;
    if (published_has(p, "value-norm"))
        values = p->keys_are_values ? 0 : g * v * (v - 1) / 2;
    return n * (n + 1) / 2 + m * (m + 1) / 2 + scores + values;
}

Account
published_account(const Published *model, int tokens)
{
    Account all = {0};
    const Published *end = model->each + model->layers;
    for (const Published *p = model->each; p < end; p++) {
        double d = p->d_model, h = p->heads, k = p->d_k, v = p->d_v;
        double n = p->latent, m = p->query_latent, r = n > 0 ? p->rope : 0;
        double g = p->shared ? 0 : p->groups;
        double kept = n > 0 ? n + r : g * (k + v);
        double seen = p->window > 0 ? fmin(p->window, tokens) : tokens;
        double from[] = {m > 0 ? m : d, p->kdim, p->vdim, h * v};
        double to[] = {h * (k + r), g * k, p->keys_are_values ? 0 : g * v, d};
        double matrices = d * m + (n > 0 ? d * (n + r) : 0), rest = n + m;
        for (int i = 0; i < 4; i++) {
            matrices += from[i] * to[i];
            rest += strchr(p->biases, "qkvo"[i]) ? to[i] : 0;
        }
        if (published_has(p, "head-norm"))
            rest += p->shared ? k : 2 * k;
        if (published_has(p, "full-norm"))
            rest += (h + g) * k;
        if (published_has(p, "sinks"))
            rest += h;
        all.stored += matrices + rest;
        all.gauge += p->shared ? 0 : gauge_of(p);
        all.flops += 2 * (matrices + h * (k + r + v) * seen);
        all.cache += p->encoders ? 0 : kept * seen;
        all.unwindowed += p->encoders ? 0 : kept * tokens;
    }
    return all;
}
