/* accounts.c - what a published model stores and costs, and how many of its
   parameters are gauge: they can change without changing the output.

   A layer has h heads in g groups, each of which shares its keys and values.
   Tokens have d entries, keys k columns, r of which are rotated, and values v
   columns. If keys and values are made from a latent, it has n columns, and the
   latent of queries has m. GL(n) are the invertible matrices, O(n) the
   orthogonal ones. The dimensions of the gauge:

   Without norms and gates
       g (k - r)^2    GL(k - r) between W^Q and W^K'
       g r            a complex number for each pair of rotated columns; only r
                      with a latent, whose rotated columns all heads share
       g v^2          GL(v) between W^V and W^O
       g (k - r)      b^K, which adds the same to all scores of a row; not in
                      rotated columns, where this depends on the distance
       g v            b^V, which b^O can absorb because weights sum to 1;
                      without b^O only g v - d, or 0 if this is less, since
                      b^V adds the same d entries to all outputs; 0 with sinks

   With norms
       r / 2 + k - r  the gains of the norms of queries and keys, if all heads
                      share them; g times as many if each head has its own.
                      Nothing else of W^Q and W^K is free
       g r / 2        if queries and keys are normed after the rotation: only
                      the angles of the complex numbers, which keep norms
       n (n + 1) / 2  O(n) and the gains of the norm of a latent of n columns
       g v (v - 1) /2 O(v), if values are normed without gains; nothing if
                      values are the keys, because keys have gains

   In other cases
       g v            if a gate multiplies the heads' output, entry by entry: a
                      factor for each column of W^V; b^O cannot absorb b^V
       r^2            if the r separate columns of a latent are not rotated
       h              if scores have a bias for each distance: all biases of a
                      head may grow by one number. In an encoder h more, because
                      the bucket of 0 tokens to the right is never read

   A product whose rank is less than its inner width leaves more free. This
   happens if keys and values are made from fewer columns than they have, and no
   norm is between. A layer that uses the keys and values of an earlier one adds
   nothing, because its own maps must fit these k and v columns. */
#include <math.h>
#include <string.h>

#include "models/heads.h"

/* The number of columns of a head's key. With a latent, d_k counts only the
   columns that are not rotated. */
static double
key_columns(const Published *p)
{
    return p->latent ? p->d_k + p->rope : p->d_k;
}

/* The dimensions of the gauge in a product of (rows x inner) and (inner x
   columns): the number of entries of both factors, less the dimension of the
   set of their products, which are all matrices whose rank is at most
   min(inner, rows, columns). */
static double
free_within(double inner, double rows, double columns)
{
    double rank = fmin(inner, fmin(rows, columns));
    return inner * (rows + columns) - rank * (rows + columns - rank);
}

/* The dimensions of the gauge in queries and keys without norms: in the
   products of W^Q and W^K' without rotated columns, in the rotated columns, and
   in b^K. All heads of a group multiply the same keys, so their W^Q count as
   one matrix with the inputs of all of them as rows. */
static double
gauge_without_norms(const Published *p)
{
    double g = p->groups, r = p->rope, unrotated = key_columns(p) - r;
    double inputs = p->query_latent ? p->query_latent : p->d_model;
    if (strchr(p->biases, 'q')) /* b^Q is one more row of W^Q */
        inputs++;
    double inputs_of_group = p->heads / g * inputs;
    double products = g * free_within(unrotated, p->kdim, inputs_of_group);
    double key_biases = strchr(p->biases, 'k') ? g * unrotated : 0;
    double rotated = g * r;
    if (p->latent) /* all heads share the r columns, which may be unrotated */
        rotated = published_has(p, "rope") ? r : r * r;
    return rotated + products + key_biases;
}

/* The dimensions of the gauge in queries and keys. If their norms have gains,
   only a factor of each pair of rotated columns and of each unrotated column is
   free: it can move from the gains of one norm to those of the other. */
static double
score_gauge(const Published *p)
{
    double g = p->groups, r = p->rope, unrotated = key_columns(p) - r;
    /* A unit norm follows the rotation and has no gains: only the angle of each
       pair is free. A layer without rotation has no such norm. */
    if (p->unit_norm && r > 0)
        return g * r / 2;
    if (published_has(p, "full-norm")) /* each head has its own gains */
        return g * (r / 2 + unrotated);
    if (published_has(p, "head-norm")) /* all heads share the gains */
        return r / 2 + unrotated;
    return gauge_without_norms(p);
}

/* The dimensions of the gauge in W^V, W^O and their biases. All heads of a
   group multiply the same values by W^O, so their W^O count as one matrix. With
   sinks, weights do not sum to 1, so b^V is one more row of W^V. */
static double
value_gauge(const Published *p)
{
    double g = p->groups, v = p->d_v, outputs = p->heads / g * p->d_model;
    bool biased = strchr(p->biases, 'v'), sinks = published_has(p, "sinks");
    if (published_has(p, "value-norm")) /* it lets a rotation of v through */
        return p->keys_are_values ? 0 : g * v * (v - 1) / 2;
    if (published_has(p, "gated")) /* it lets a factor of each column through */
        return g * v;
    if (!biased || sinks)
        return g * free_within(v, p->vdim + (biased ? 1 : 0), outputs);
    /* b^O can absorb all of b^V. Without it, no more of b^V is real than the
       d_model entries that it adds to all outputs. */
    bool absorbed = strchr(p->biases, 'o');
    double of_bias = absorbed ? g * v : fmax(0, g * v - p->d_model);
    return g * free_within(v, p->vdim, outputs) + of_bias;
}

/* How many parameters a layer stores. */
typedef struct Stored {
    double matrices; /* in the maps of q, k, v and o and of the latents */
    double vectors;  /* in biases, sinks and the gains of norms */
} Stored;

/* Counts the parameters of a layer. Each of the maps QUERY .. OUTPUT (heads.h)
   reads inputs[map] columns and makes outputs[map]. A gate is stored with the
   map of the queries. With a latent, the rotated columns of keys are made by
   the map of the latent, so the map of keys makes only d_k of the k columns. A
   layer that uses the keys and values of an earlier one has no maps for them,
   and no norm of keys. */
static Stored
stored_by(const Published *p)
{
    double d = p->d_model, h = p->heads, v = p->d_v;
    double g = p->shared ? 0 : p->groups; /* whose keys and values it makes */
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
    sum.vectors += h * p->buckets; /* biases for ranges of distances */
    sum.vectors += published_has(p, "sinks") ? h : 0;
    if (published_has(p, "full-norm")) /* gains for each head */
        sum.vectors += k * (h + g);
    else if (published_has(p, "head-norm")) /* gains that all heads share */
        sum.vectors += p->shared ? k : 2 * k;
    return sum;
}

/* The dimensions of the gauge of a layer: in its latents, in queries and keys,
   in the biases for distances, and in values. A layer that uses the keys and
   values of an earlier one adds none. */
static double
layer_gauge(const Published *p)
{
    double n = p->latent, m = p->query_latent, distances = 0;
    if (p->shared)
        return 0;
    if (p->buckets)
        distances = p->in_encoder ? 2 * p->heads : p->heads;
    return n * (n + 1) / 2 + m * (m + 1) / 2 + score_gauge(p) + distances +
           value_gauge(p);
}

/* For each token, every entry of a matrix, and every entry of the keys and
   values that a head sees, costs a multiplication and an addition. A layer that
   uses the keys and values of an earlier one caches nothing. */
void
account_add(Account *all, const Published *p, int tokens)
{
    double n = p->latent;
    double g = p->shared ? 0 : p->groups;           /* groups that it caches */
    double key_and_value = key_columns(p) + p->d_v; /* columns of both */
    all->state += p->state; /* 0 unless it has a state, see Published.state */
    if (p->linear)          /* without softmax, only the state is counted */
        return;
    Stored stored = stored_by(p);
    all->stored += stored.matrices + stored.vectors;
    all->gauge += layer_gauge(p);
    double seen = fmin(p->window, tokens);
    all->flops += 2 * (stored.matrices + p->heads * key_and_value * seen);
    if (p->in_encoder) /* it reads its sequence once, so nothing is cached */
        return;
    double cached = n > 0 ? n + p->rope : g * key_and_value; /* per token */
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
