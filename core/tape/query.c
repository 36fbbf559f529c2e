/* query.c - the work of attend for one query of a sequence, as a decoder has it
   at each step.

   What costs is reading the keys and values once. So they are read BLOCK tokens
   at a time, for all heads, in the order in which they are in memory; a head of
   keys that serves several queries serves them together, as rows of one
   product. */
#include "base/threads.h"
#include "math/rows.h"
#include "tape/attend.h"
#include "tape/cache.h"

enum { BLOCK = KEY_BLOCK };

/* Entries from row to row of weights: whole vectors. */
static int
row_of(const Node *k)
{
    int keys = k->rows / k->sequences;
    return (keys + LANES - 1) / LANES * LANES;
}

/* The weights (heads x keys) of each sequence; then each worker's block of
   keys, transposed. */
size_t
query_keeps(const Node *c)
{
    const Node *q = c->in[0], *k = c->in[1];
    size_t rows = (size_t)q->sequences * q->heads;
    size_t width = (size_t)(k->cols / k->heads);
    return rows * (size_t)row_of(k) + (size_t)threads_count() * width * BLOCK;
}

/* The queries, or sums, of the heads from `first` on: a row each. */
static Matrix
heads_as_rows(const Node *n, int s, int first, int count)
{
    Matrix head = head_of(n, n->value, s, first);
    return matrix(head.at, count, head.cols, head.cols);
}

/* Heads of keys, or values, from `first` to `end` of a sequence; and the
   weights that belong to it, (heads x row). */
typedef struct Heads {
    int s, first, end;
    Matrix weights;
} Heads;

/* S_i = Q_i K_i'. Keys that are rows are copied here, padded to whole vectors:
   if the product copied them, a step of shared-kv would take a fifth longer. */
static void
score(const Node *q, const Node *k, const Heads *of, real *block)
{
    int group = q->heads / k->heads, keys = k->rows / k->sequences;
    for (int j = 0; j < keys; j += BLOCK)
        for (int h = of->first; h < of->end; h++) {
            int count = keys - j < BLOCK ? keys - j : BLOCK;
            int wide = (count + LANES - 1) / LANES * LANES;
            Matrix some = keys_of(k, of->s, h, j, count);
            if (some.down == KEY_BLOCK)
                some.cols = wide; /* a block is whole */
            else {
                copy_matrix(block, some, wide);
                some = matrix(block, some.rows, wide, wide);
            }
            multiply(part(of->weights, h * group, group, j, wide),
                     heads_as_rows(q, of->s, h * group, group), some);
        }
}

/* O_i = P_i V_i */
static void
weighted_sum(const Node *c, const Node *v, const Heads *of)
{
    int group = c->heads / v->heads, keys = v->rows / v->sequences;
    for (int j = 0; j < keys; j += BLOCK)
        for (int h = of->first; h < of->end; h++) {
            int count = keys - j < BLOCK ? keys - j : BLOCK;
            Matrix p = part(of->weights, h * group, group, j, count);
            (j ? multiply_add
               : multiply)(heads_as_rows(c, of->s, h * group, group), p,
                           some_rows(head_of(v, v->value, of->s, h), j, count));
        }
}

/* P = softmax(scale S) */
static void
softmax_of(const Node *c, Matrix p, int first, int end)
{
    const Attended *a = c->arguments;
    int keys = c->in[1]->rows / c->in[1]->sequences;
    real unkept[2 * ROWS_AT_A_TIME];
    for (int h = first, rows; h < end; h += rows) {
        rows = end - h < ROWS_AT_A_TIME ? end - h : ROWS_AT_A_TIME;
        rows_softmax(p.at + h * p.down, p.down, rows, (real)a->scale, keys, 0,
                     p.cols, unkept);
    }
}

/* So many chunks of a sequence: heads that share keys or values stay together.
 */
typedef struct Pass {
    Node *c;
    int chunks;
} Pass;

static void
query_chunk(void *pass, int chunk, int worker)
{
    const Pass *p = pass;
    const Node *c = p->c, *q = c->in[0], *k = c->in[1], *v = c->in[2];
    int s = chunk / p->chunks, part = chunk % p->chunks, row = row_of(k);
    int groups = shared_groups(k, v);
    int from = (int)chunk_begin(groups, part, p->chunks);
    int to = (int)chunk_begin(groups, part + 1, p->chunks);
    real *weights = c->kept + (size_t)s * q->heads * (size_t)row;
    real *block = c->kept + query_keeps(c) -
                  (size_t)(worker + 1) * (size_t)(k->cols / k->heads) * BLOCK;
    Heads of = {s, from * (k->heads / groups), to * (k->heads / groups),
                matrix(weights, q->heads, row, row)};
    score(q, k, &of, block);
    softmax_of(c, of.weights, from * (q->heads / groups),
               to * (q->heads / groups));
    of.first = from * (v->heads / groups);
    of.end = to * (v->heads / groups);
    weighted_sum(c, v, &of);
}

void
query_forward(Node *c)
{
    int groups = shared_groups(c->in[1], c->in[2]), most = threads_count();
    Pass p = {c, groups < most ? groups : most};
    parallel_for(c->sequences * p.chunks, query_chunk, &p);
}
