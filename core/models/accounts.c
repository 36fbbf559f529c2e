/* accounts.c - what a published model stores and costs.

   With k columns in a key, v in a value, of each of g groups of heads:

       g k^2          GL(k) between W^Q and W^K' ...
       g r            ... of r rotated columns only a complex number a pair
       g v^2          GL(v) between W^V and W^O
       g (k - r)      b^K: it adds the same to all scores of a row, unless a
                      rotation makes that depend on the distance
       g v            b^V: weights sum to 1, so b^O can have it, if there are
                      no sinks
       r / 2 + k - r  the gains of norms between, of each head alike; their norm
                      leaves nothing else free. g times that if each has its own
       n (n + 1) / 2  O(n) and a gain behind the norm of a latent of n
*/
#include "models/accounts.h"

/* Entries of the matrices of a layer. */
static double
matrices(const Published *p)
{
    double d = p->d_model, h = p->heads, g = p->groups, k = p->d_k;
    double from = p->query_latent ? p->query_latent : d;
    if (p->latent)
        return d * p->query_latent + from * h * (k + p->rope) +
               d * (p->latent + p->rope) + p->latent * h * (k + p->d_v) +
               h * p->d_v * d;
    return d * (h * k + g * (k + p->d_v) + h * p->d_v);
}

double
stored_parameters(const Published *p)
{
    int has = p->family->has;
    double h = p->heads, g = p->groups, k = p->d_k;
    double gains = has & HEAD_NORM   ? 2 * k
                   : has & FULL_NORM ? (h + g) * k
                                     : p->latent + p->query_latent;
    double biases = p->bias[QUERY] * h * k + p->bias[KEY] * g * k +
                    p->bias[VALUE] * g * p->d_v + p->bias[OUTPUT] * p->d_model;
    return p->layers * (matrices(p) + gains + biases + (has & SINKS ? h : 0));
}

double
gauge_parameters(const Published *p)
{
    int has = p->family->has;
    double h = p->heads, g = p->groups, k = p->d_k, v = p->d_v, r = p->rope;
    double n = p->latent, m = p->query_latent, plain = k - r;
    double keys = has & HEAD_NORM   ? r / 2 + plain
                  : has & FULL_NORM ? g * (r / 2 + plain)
                                    : g * (r + plain * plain);
    if (p->latent)
        return p->layers *
               (n * (n + 1) / 2 + m * (m + 1) / 2 + h * k * k + r + h * v * v);
    bool no_key = p->bias[KEY] && !(has & (HEAD_NORM | FULL_NORM));
    bool no_value = p->bias[VALUE] && p->bias[OUTPUT] && !(has & SINKS);
    return p->layers *
           (keys + g * v * v + no_key * g * plain + no_value * g * v);
}

/* How many tokens a layer sees of so many. */
static int
seen_by(const Published *p, int layer, int tokens, bool windows)
{
    return windows && p->local[layer] && p->window < tokens ? p->window
                                                            : tokens;
}

double
token_flops(const Published *p, int tokens)
{
    double flops = 2 * p->layers * matrices(p);
    double width = p->d_k + (p->latent ? p->rope : 0) + p->d_v;
    for (int i = 0; i < p->layers; i++)
        flops += 2. * p->heads * width * seen_by(p, i, tokens, true);
    return flops;
}

double
cached_numbers(const Published *p, int tokens, bool windows)
{
    double numbers = 0, width = p->latent
                                    ? (double)p->latent + p->rope
                                    : p->groups * ((double)p->d_k + p->d_v);
    for (int i = p->encoders; i < p->layers; i++)
        numbers += width * seen_by(p, i, tokens, windows);
    return numbers;
}
