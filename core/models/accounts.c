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
*/
#include <string.h>

#include "models/published.h"

/* Of a layer. */
static double
gauge_of(const Published *p)
{
    double h = p->heads, g = p->groups, k = p->d_k, v = p->d_v, r = p->rope;
    double n = p->latent, m = p->query_latent, plain = k - r;
    bool key = strchr(p->biases, 'k'), value = strchr(p->biases, 'v');
    if (n > 0)
        return n * (n + 1) / 2 + m * (m + 1) / 2 + h * k * k + r + h * v * v;
    value &= strchr(p->biases, 'o') && !published_has(p, "sinks");
    if (published_has(p, "head-norm"))
        return r / 2 + plain + g * v * v + value * g * v;
    if (published_has(p, "full-norm"))
        return g * (r / 2 + plain + v * v + value * v);
    return g * (r + plain * plain + v * v + key * plain + value * v);
}

Account
published_account(const Published *p, int tokens)
{
    double d = p->d_model, h = p->heads, g = p->groups, k = p->d_k, v = p->d_v;
    double n = p->latent, m = p->query_latent, r = n > 0 ? p->rope : 0;
    double matrices = d * (h * k + g * (k + v) + h * v), gains = n + m;
    double kept = n > 0 ? n + r : g * (k + v), biases = 0;
    double of_each[] = {h * k, g * k, g * v, d};
    if (n > 0)
        matrices = d * m + (m > 0 ? m : d) * h * (k + r) + d * (n + r) +
                   n * h * (k + v) + h * v * d;
    if (published_has(p, "head-norm"))
        gains = 2 * k;
    if (published_has(p, "full-norm"))
        gains = (h + g) * k;
    for (int i = 0; i < 4; i++)
        biases += strchr(p->biases, "qkvo"[i]) ? of_each[i] : 0;
    if (published_has(p, "sinks"))
        biases += h;
    double beyond = tokens > p->window ? tokens - p->window : 0;
    double seen = (double)p->layers * tokens - p->local * beyond;
    double decodes = p->layers - p->encoders;
    return (Account){
        .stored = p->layers * (matrices + gains + biases),
        .gauge = p->layers * gauge_of(p),
        .flops = 2 * p->layers * matrices + 2 * h * (k + r + v) * seen,
        .cache = kept * (decodes > 0 ? seen - p->encoders * (double)tokens : 0),
        .unwindowed = kept * decodes * tokens};
}
