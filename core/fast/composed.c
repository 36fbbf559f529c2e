/* composed.c - attention, P = softmax(mask(scale Q K')), O = P V, and
   LayerNorm, as fast as we know how: an operator for each, where core/heart
   composes them of several.

   Attention takes one head after another, of one sequence or of several short
   ones, in as many threads as there are. */
#include <math.h>
#include <stdbool.h>

#include "fast/lanes.h"
#include "fast/matrix.h"
#include "heart/attention.h"
#include "heart/composed.h"
#include "heart/heads.h"
#include "heart/operators.h"
#include "heart/rows.h"
#include "heart/tape.h"
#include "heart/threads.h"

/* Of a short attention the weights P are kept, (tokens x heads*keys). Those of
   a long one are made tile by tile, TILE rows of queries at a time, and made
   again in the backward pass. So memory grows with the tokens, not with their
   square. */
enum { TILE = 32, SHORT = 64 };

/* A short tile is so little work that one head of several sequences is done
   together: of so many that their weights still fit the first cache. */
enum { IN_BATCH = 16384 / sizeof(real) };

/* What all tiles of a call have in common. */
typedef struct Plan {
    int tokens, keys; /* of a sequence: queries, and keys */
    int rows;         /* of q in a tile */
    int together;     /* sequences in a tile */
    int row;          /* entries from row to row of weights */
    bool is_long;
    size_t kept;    /* entries: of the weights that are kept; then comes */
    size_t scratch; /* that of each worker: dP and, of a long attention, P */
} Plan;

static int
rounded(int n)
{
    return (n + LANES - 1) / LANES * LANES;
}

/* Operands that are one matrix are not cut: tiles would add up its gradient in
   another order. Rows of weights that are kept are as long as whole vectors;
   those in a scratch are no power of 2 long, since such rows would all want the
   same few lines of the first cache. */
static Plan
plan_of(Node *const *in)
{
    const Node *q = in[0], *k = in[1], *v = in[2];
    bool apart = q->root != k->root && q->root != v->root && k->root != v->root;
    Plan p = {.tokens = q->rows / q->sequences, .keys = k->rows / k->sequences};
    p.is_long = p.keys > SHORT;
    p.rows = p.is_long && apart ? least(TILE, p.tokens) : p.tokens;
    p.row = rounded(p.keys) + (p.is_long ? LANES : 0);
    size_t tile = (size_t)p.rows * (size_t)p.row;
    int fit = p.is_long || tile > IN_BATCH ? 1 : (int)(IN_BATCH / tile);
    p.together = least(fit, q->sequences);
    p.kept = p.is_long ? 0 : tile * (size_t)(q->sequences * q->heads);
    p.scratch = tile * (size_t)(p.is_long ? 2 : p.together);
    return p;
}

/* Queries first .. first + rows of head h, of `count` sequences from s on, and
   the keys that the last of them sees. */
typedef struct QueryTile {
    const Plan *plan;
    int s, count, h, first, rows, seen;
    Matrix p, dp; /* (rows x seen) */
} QueryTile;

/* Rows first .. first + rows, in the tile's sequences, of what serves its head
   in a matrix at `at` that has the shape of n, c or one of its operands. */
static Matrix
part_of(const Node *c, const QueryTile *t, const Node *n, real *at, int first,
        int rows)
{
    Matrix m = head_of(n, at, t->s, t->h / (c->heads / n->heads));
    m.count = t->count;
    return some_rows(m, first, rows);
}

static Matrix
queries(const Node *c, const QueryTile *t, const Node *n, real *at)
{
    return part_of(c, t, n, at, t->first, t->rows);
}

static Matrix
keys(const Node *c, const QueryTile *t, const Node *n, real *at)
{
    return part_of(c, t, n, at, 0, t->seen);
}

/* The tile that begins at row `first`, for a worker. */
static QueryTile
tile_of(const Node *c, const Plan *p, int s, int h, int first, int worker)
{
    const Attended *a = c->arguments;
    real *scratch = c->kept + p->kept + (size_t)worker * p->scratch;
    int sequences = c->in[0]->sequences;
    int rows = least(p->tokens - first, p->rows);
    QueryTile t = {.plan = p, .s = s, .h = h, .first = first, .rows = rows};
    t.count = least(sequences - s, p->together);
    ptrdiff_t step = (ptrdiff_t)rows * p->row;
    t.seen = keys_seen(a->causal, first + rows - 1, p->tokens, p->keys);
    t.dp = (Matrix){scratch, rows, t.seen, p->row, 1, t.count, step};
    t.p = t.dp;
    t.p.at = p->is_long ? scratch + step : c->kept + (h * sequences + s) * step;
    return t;
}

/* P = softmax(mask(scale Q K')), row by row. */
static void
make_weights(const Node *c, const QueryTile *t)
{
    const Attended *a = c->arguments;
    const Node *q = c->in[0], *k = c->in[1];
    int wide = rounded(t->seen);
    multiply(t->p, queries(c, t, q, q->value),
             transposed(keys(c, t, k, k->value)));
    for (int i = 0; i < t->count * t->rows; i++) {
        real *p = t->p.at + i * t->p.down;
        int query = t->first + i % t->rows;
        for (int j = 0; j < wide; j++)
            p[j] *= (real)a->scale;
        row_softmax(p,
                    keys_seen(a->causal, query, t->plan->tokens, t->plan->keys),
                    wide, -INFINITY);
    }
}

/* O = P V */
static void
tile_forward(Node *c, const QueryTile *t)
{
    const Node *v = c->in[2];
    make_weights(c, t);
    multiply(queries(c, t, c, c->value), t->p, keys(c, t, v, v->value));
}

/* dV += P' dO,  dP = dO V',  dS = scale P (dP - rowsum(P dP)),
   dQ += dS K,  dK += dS' Q */
static void
tile_backward(Node *c, const QueryTile *t)
{
    Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    const Attended *a = c->arguments;
    Matrix p = t->p, ds = t->dp, d = queries(c, t, c, c->gradient);
    if (t->plan->is_long)
        make_weights(c, t);
    if (v->trained)
        multiply_add(keys(c, t, v, gradient(v)), transposed(p), d);
    if (!q->trained && !k->trained)
        return;
    multiply(ds, d, transposed(keys(c, t, v, v->value)));
    for (int i = 0; i < t->count * t->rows; i++) {
        real *x = ds.at + i * ds.down, *w = p.at + i * p.down;
        real mean = lane_dot(w, x, t->seen);
        for (int j = 0; j < t->seen; j++) /* a masked weight is 0 */
            x[j] = (real)a->scale * w[j] * (x[j] - mean);
    }
    if (q->trained)
        multiply_add(queries(c, t, q, gradient(q)), ds,
                     keys(c, t, k, k->value));
    if (k->trained)
        multiply_add(keys(c, t, k, gradient(k)), transposed(ds),
                     queries(c, t, q, q->value));
}

/* One pass over a call, forward or backward. */
typedef struct Work {
    Node *c;
    Plan plan;
    int groups, chunks; /* of heads; of these times so many sequences */
    void (*visit)(Node *c, const QueryTile *t);
} Work;

/* Every tile of a group of heads. */
static void
each_tile(const Work *w, int chunk, int worker)
{
    const Plan *p = &w->plan;
    int s = chunk / w->groups * p->together;
    int each = w->c->heads / w->groups, end = (chunk % w->groups + 1) * each;
    for (int h = end - each; h < end; h++)
        for (int first = 0; first < p->tokens; first += p->rows) {
            QueryTile t = tile_of(w->c, p, s, h, first, worker);
            w->visit(w->c, &t);
        }
}

/* What the workers from one to another do: every so many-th chunk each. */
static void
some_chunks(void *pass, long from, long to)
{
    const Work *w = pass;
    for (int worker = (int)from; worker < to; worker++)
        for (int i = worker; i < w->chunks; i += thread_count)
            each_tile(w, i, worker);
}

/* Heads of q that share a head of k or of v stay together in a thread: they add
   to the same gradient, and read the same. So there are as many groups as heads
   of k and of v have a greatest common divisor. */
static int
shared_groups(const Node *k, const Node *v)
{
    int a = k->heads, b = v->heads;
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void
pass_over(Node *c, void (*visit)(Node *c, const QueryTile *t))
{
    Work w = {c, plan_of(c->in), shared_groups(c->in[1], c->in[2]), 0, visit};
    int sequences = c->in[0]->sequences, each = w.plan.together;
    w.chunks = (sequences + each - 1) / each * w.groups;
    parallel_for(least(w.chunks, thread_count), some_chunks, &w);
}

static void
attend_forward(Node *c)
{
    pass_over(c, tile_forward);
}

static void
attend_backward(Node *c)
{
    for (int i = 0; i < 3; i++)
        if (c->in[i]->trained)
            gradient(c->in[i]); /* zeroed before many add to it */
    pass_over(c, tile_backward);
}

const Operator attend_op = {"attend", attend_forward, attend_backward};

Node *
attend(Attention *a, Node *q, Node *k, Node *v, double scale)
{
    if ((a->relative && a->relative->bias) || q->tape->purpose & IN_STEPS)
        return apply_weights(a, softmax(a, scores(a, q, k, scale)), v);
    attend_operands(a, &q, &k, &v);
    Plan p = plan_of((Node *[]){q, k, v});
    return make(&attend_op, OF(q, k, v),
                (Made){.cols = q->heads * (v->cols / v->heads),
                       WITH((Attended){scale, a->causal, .sink = -INFINITY}),
                       .keeps = p.kept + (size_t)thread_count * p.scratch});
}

static inline void
scale_and_shift(int d, real *restrict y, real *restrict n, real inverse,
                const real *restrict gain, const real *restrict bias)
{
    for (int j = 0; j < d; j++) {
        n[j] *= inverse;
        y[j] = gain[j] * n[j] + bias[j];
    }
}

/* n = (x - mean) / deviation, y = gain n + bias. Within a row every step waits
   for the one before, and not for those of other rows: so each is done in
   ROWS_AT_A_TIME rows before the next. */
static void
norm_forward(Node *c)
{
    real *inverse = c->kept + size_of(c);
    int d = c->cols;
    for (int first = 0, end; first < c->rows; first = end) {
        end = first + least(c->rows - first, ROWS_AT_A_TIME);
        const real *x = c->in[0]->value;
        for (int i = first; i < end; i++) {
            real *restrict n = c->kept + i * d,
                           mean = lane_sum(x + i * d, d) / (real)d;
            for (int j = 0; j < d; j++)
                n[j] = x[i * d + j] - mean;
        }
        for (int i = first; i < end; i++) {
            const real *n = c->kept + i * d;
            inverse[i] = 1 / SQRT(lane_dot(n, n, d) / (real)d + (real)1e-5);
        }
        for (int i = first; i < end; i++)
            scale_and_shift(d, c->value + i * d, c->kept + i * d, inverse[i],
                            c->in[1]->value, c->in[2]->value);
    }
}

/* dGain += dC n,  dBias += dC,  g = gain dC */
static void
norm_to_gain(int rows, int d, const real *dc, const real *n, const real *gain,
             real *dgain, real *dbias, real *g)
{
    for (int j = 0; j < d; j += LANES) {
        Widest by[PARTS], to_gain[PARTS], to_bias[PARTS], u[PARTS], v[PARTS];
        load(by, gain + j, d - j);
        load(to_gain, dgain + j, d - j);
        load(to_bias, dbias + j, d - j);
        for (int i = j; i < rows * d; i += d) {
            load(u, dc + i, d - j);
            load(v, n + i, d - j);
            EACH_PART to_gain[p] += u[p] * v[p];
            EACH_PART to_bias[p] += u[p];
            EACH_PART u[p] *= by[p];
            store(g + i, u, d - j);
        }
        store(dgain + j, to_gain, d - j);
        store(dbias + j, to_bias, d - j);
    }
}

/* dX += (g - mean(g) - n mean(g n)) / deviation */
static void
norm_to_x(int rows, int d, real *dx, const real *g, const real *n,
          const real *inverse)
{
    real mean[ROWS_AT_A_TIME], along[ROWS_AT_A_TIME];
    for (int i = 0; i < rows; i++) {
        mean[i] = lane_sum(g + i * d, d) / (real)d;
        along[i] = lane_dot(g + i * d, n + i * d, d) / (real)d;
    }
    for (int i = 0; i < rows; i++, dx += d, g += d, n += d)
        for (int j = 0; j < d; j++)
            dx[j] += (g[j] - mean[i] - n[j] * along[i]) * inverse[i];
}

static void
norm_backward(Node *c)
{
    Node *x = c->in[0], *gain = c->in[1];
    real *dgain = gradient(gain), *dbias = gradient(c->in[2]);
    real *dx = x->trained ? gradient(x) : NULL;
    real *inverse = c->kept + size_of(c), *g = inverse + c->rows;
    for (int i = 0; i < c->rows; i += ROWS_AT_A_TIME) {
        int at = i * c->cols, rows = least(c->rows - i, ROWS_AT_A_TIME);
        norm_to_gain(rows, c->cols, c->gradient + at, c->kept + at, gain->value,
                     dgain, dbias, g);
        if (dx)
            norm_to_x(rows, c->cols, dx + at, g, c->kept + at, inverse + i);
    }
}

/* Kept are n, then 1 / deviation of each row, and memory for the backward pass,
   ROWS_AT_A_TIME rows. */
Node *
layer_norm(Node *x, Node *gain, Node *bias)
{
    static const Operator op = {"layer_norm", norm_forward, norm_backward};
    size_t keeps = size_of(x) + x->rows + (size_t)x->cols * ROWS_AT_A_TIME;
    return make(&op, OF(x, gain, bias), (Made){.keeps = keeps});
}
