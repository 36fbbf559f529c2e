/* accounts.c - what a published model stores and costs, and how much of it is
   gauge: parameters that can change without changing the output.

   Let a layer have h heads in g groups that share keys and values, tokens of d
   entries, k columns in a key, r of which are rotated, and v in a value. If
   keys and values are made from a latent, it has n columns, and that of the
   queries has m. The dimensions of the gauge:

   Without norms and gates
       g (k - r)^2    GL(k - r) between W^Q and W^K'
       g r            a complex number for each pair of rotated columns; only r
                      with a latent, whose rotated columns all heads share
       g v^2          GL(v) between W^V and W^O
       g (k - r)      b^K: it adds the same to all scores of a row, unless a
                      rotation makes that depend on the distance
       g v            b^V: weights sum to 1, so b^O can absorb it, unless there
                      are sinks

   Norms
       r / 2 + k - r  the gains of the norms of queries and keys, if all heads
                      share them; such a norm leaves nothing else free. g times
                      that if each head has its own
       g r / 2        if queries and keys are normed after the rotation: of
                      those complex numbers, what does not change a norm
       n (n + 1) / 2  O(n) and a gain behind the norm of a latent of n
       g v (v - 1) /2 O(v), if values are normed without a gain; nothing if they
                      are the keys, whose gains no rotation leaves unchanged

   The rest
       g v            if a gate multiplies the heads' output, entry by entry: a
                      factor for each column of W^V; b^O cannot absorb b^V
       r^2            if a latent's r columns are not rotated
       h              if scores have a bias for each distance: the same may be
                      added to all; h more in an encoder, where a bucket of 0
                      tokens to the right is never read

   A product whose rank is less than its inner width leaves more free. This
   happens if keys and values are made from fewer columns, and no norm is
   between. A layer that has the keys and values of an earlier one adds nothing:
   both are written in the same k and v columns. */
#include <math.h>
#include <string.h>

#include "models/heads.h"

/* All columns of a head's key: with a latent, d_k counts only those that are
   not rotated. */
static double
key_columns(const Published *p)
{
    return p->latent ? p->d_k + p->rope : p->d_k;
}

/* The dimensions of the gauge in a product of (rows x inner) and (inner x
   columns): the entries of both factors, less the dimension of the matrices
   that have the rank of their product. */
static double
free_within(double inner, double rows, double columns)
{
    double rank = fmin(inner, fmin(rows, columns));
    return inner * (rows + columns) - rank * (rows + columns - rank);
}

/* The dimensions of the gauge in queries and keys without norms: the rows of
   the table that have r or k. Each head of a group reads the same keys, so the
   W^Q of a group has as many rows as its heads have inputs. With a latent, its
   r columns count once: as complex numbers if they are rotated, else as GL(r).
 */
static double
gauge_without_norms(const Published *p)
{
    double g = p->groups, r = p->rope, unrotated = key_columns(p) - r;
    double inputs = p->query_latent ? p->query_latent : p->d_model;
    inputs += strchr(p->biases, 'q') ? 1 : 0; /* b^Q is one more row of W^Q */
    double of_latent = published_has(p, "rope") ? r : r * r;
    double rotated = p->latent ? of_latent : g * r;
    double products =
        g * free_within(unrotated, p->kdim, p->heads / g * inputs);
    double key_biases = strchr(p->biases, 'k') ? g * unrotated : 0;
    return rotated + products + key_biases;
}

/* The dimensions of the gauge in queries and keys. If these are normed, only
   the gauge of the norm is left. */
static double
score_gauge(const Published *p)
{
    double g = p->groups, r = p->rope, unrotated = key_columns(p) - r;
    if (p->unit_norm && r > 0)
        return g * r / 2;
    if (published_has(p, "full-norm"))
        return g * (r / 2 + unrotated);
    if (published_has(p, "head-norm"))
        return r / 2 + unrotated;
    return gauge_without_norms(p);
}

/* The number of parameters of W^V, W^O and their biases that are gauge. The W^O
   of all heads of a group multiply the same values. */
static double
value_gauge(const Published *p)
{
    double g = p->groups, v = p->d_v, heads_of_group = p->heads / g;
    if (published_has(p, "value-norm"))
        return p->keys_are_values ? 0 : g * v * (v - 1) / 2;
    if (published_has(p, "gated"))
        return g * v;
    double sum = g * free_within(v, p->vdim, heads_of_group * p->d_model);
    bool absorbed = strchr(p->biases, 'o') && !published_has(p, "sinks");
    if (strchr(p->biases, 'v') && absorbed) /* b^O can absorb b^V */
        sum += g * v;
    return sum;
}

/* The parameters of a layer. Its sizes are those of Published (published.h). */
typedef struct Stored {
    double matrices; /* the maps of q, k, v and o, and those of the latents */
    double vectors;  /* biases, sinks and the gains of norms */
} Stored;

/* The maps QUERY .. OUTPUT (heads.h): inputs[] is the width that each reads,
   outputs[] the width that it makes. A gate is stored with the map of the
   queries. With a latent, rotated columns of keys are made with the latent, not
   by the map of k, which has d_k of all k columns. */
static Stored
stored_by(const Published *p)
{
    double d = p->d_model, h = p->heads, v = p->d_v;
    double g = p->shared ? 0 : p->groups; /* heads of K and V that it makes */
    double k = key_columns(p), n = p->latent, m = p->query_latent;
    Stored sum = {.vectors = n + m}; /* the gains of the norms of latents */
    sum.matrices = d * m + (n > 0 ? d * (n + p->rope) : 0);
    double gate = published_has(p, "gated") ? h * v : 0;
    double values = p->keys_are_values ? 0 : g * v;
    double inputs[] = {m > 0 ? m : d, p->kdim, p->vdim, h * v};
    double outputs[] = {h * k + gate, g * p->d_k, values, d};
    for (int map = QUERY; map <= OUTPUT; map++) {
        sum.matrices += inputs[map] * outputs[map];
        sum.vectors += strchr(p->biases, "qkvo"[map]) ? outputs[map] : 0;
    }
    sum.vectors += h * p->buckets + (published_has(p, "sinks") ? h : 0);
    if (published_has(p, "full-norm")) /* gains for each head */
        sum.vectors += k * (h + g);
    else if (published_has(p, "head-norm")) /* gains that all heads share */
        sum.vectors += p->shared ? k : 2 * k;
    return sum;
}

/* The parameters of a layer that are gauge: those of the norms of its latents,
   of scores, of biases for distances, and of values. A layer that uses the keys
   and values of an earlier one adds none. */
static double
layer_gauge(const Published *p)
{
    double n = p->latent, m = p->query_latent, distances = 0;
    if (p->shared)
        return 0;
    if (p->buckets)
        distances = p->encoders ? 2 * p->heads : p->heads;
    return n * (n + 1) / 2 + m * (m + 1) / 2 + score_gauge(p) + distances +
           value_gauge(p);
}

/* A layer that uses the keys and values of an earlier one has no maps of its
   keys and values, and caches none. An encoder caches nothing, because it reads
   its sequence only once. For a layer without softmax only the state is
   counted. Each weight costs a token a multiplication and an addition, and so
   does each entry of the keys and values that it sees. */
void
account_add(Account *all, const Published *p, int tokens)
{
    double n = p->latent;
    double g = p->shared ? 0 : p->groups; /* heads of K and V that it caches */
    double key_and_value = key_columns(p) + p->d_v; /* the columns of a head */
    all->state += p->state;
    if (p->linear)
        return;
    Stored stored = stored_by(p);
    all->stored += stored.matrices + stored.vectors;
    all->gauge += layer_gauge(p);
    double seen = fmin(p->window, tokens);
    all->flops += 2 * (stored.matrices + p->heads * key_and_value * seen);
    if (p->encoders)
        return;
    double cached = n > 0 ? n + p->rope : g * key_and_value; /* of a token */
    all->cache += cached * seen;
    all->unwindowed += cached * tokens;
}

Account
published_account(const Published *model, int tokens)
{
    Account all = {0};
    for (int i = 0; i < model->layers; i++)
        account_add(&all, &model->each[i], tokens);
    return all;
}
