/* attend_and_norm.c - attention, P = softmax(mask(scale Q K')), O = P V, and
   LayerNorm, as fast as we know how. core/heart/attend_and_norm.c is the
   readable version, and computes the same bits.

   Attention is computed tile by tile. A tile is some queries of one head of one
   sequence, with the keys that they see. If the sequence is short, it is one
   tile, and several tiles, of neighbouring heads or sequences, are computed
   together. A block is BLOCK neighbouring keys, or values, of a head. */
#include "fast/lanes.h"
#include "fast/matrix.h"
#include "fast/threads.h"
#include "heart/attention_operands.h"
#include "heart/attend_and_norm.h"
#include "heart/heads.h"
#include "heart/operators.h"
#include "heart/rows.h"
#include "heart/tape.h"

/* An attention with at most SHORT keys keeps its weights P for the backward
   pass. A long one computes them tile by tile, for TILE queries at a time, and
   computes them again in the backward pass. So its memory grows with the number
   of tokens, not with its square (except where plan_of makes one tile of all
   queries). */
enum { TILE = 32, SHORT = 64, BLOCK = 64 };

/* A short tile is so little work that several are computed together: one head
   of several sequences, or several heads of a single sequence. Their weights
   have at most IN_BATCH entries, 16 KB, and so fit the first cache. */
enum { IN_BATCH = 16384 / sizeof(real) };

/* The numbers that all tiles of a call share. c->kept has `kept` entries of
   weights, and then a scratch of `scratch` entries for each worker, a thread. A
   scratch holds matrices of the tiles that are computed together; dp, p, k, v,
   d_out and q are the indices of their first entries: dP and, in a long
   attention only, where they belong to one tile, P, the copies of K and V, and
   the rows of dO and Q. */
typedef struct Plan {
    int tokens, keys; /* queries and keys of a sequence */
    int rows;         /* queries of a tile */
    int together;     /* number of tiles that are computed together */
    bool of_heads; /* whether these tiles are heads of one sequence, rather than
                      one head of several sequences */
    int stride;    /* entries from a row of weights to the next */
    bool is_long;  /* more than SHORT keys: P is not kept */
    bool copies;   /* K and V are copied, since several tiles read them */
    size_t kept, scratch, dp, p, k, v, d_out, q; /* all in entries */
} Plan;

/* n, rounded up to a multiple. */
static size_t
rounded(int n, int multiple)
{
    return (size_t)((n + multiple - 1) / multiple * multiple);
}

/* Reserves the next `count` entries of a scratch, after the *used entries that
   are already reserved, and returns the index of the first. */
static size_t
reserve(size_t *used, size_t count)
{
    *used += count;
    return *used - count;
}

/* How many tiles are computed together, at most `most`, the number of heads or
   of sequences: as many as have weights that fit the first cache. If the tiles
   are heads, the number divides `most`, because the heads are divided into
   groups of this size (pass_over). */
static int
tiles_together(const Plan *p, int most)
{
    int tile = p->rows * p->stride;
    if (p->is_long || tile > IN_BATCH)
        return 1;
    int together = least(IN_BATCH / tile, most);
    while (p->of_heads && most % together)
        together--;
    return together;
}

/* Sets where the scratch of a worker has its matrices, and its size. Keys have
   width d, and values width d_v. The copies of a block take twice its size, one
   for the block and one for its transpose. */
static void
lay_out_scratch(Plan *p, size_t d, size_t d_v)
{
    size_t rows = (size_t)p->rows, tile = rows * (size_t)p->stride;
    size_t copied = p->copies ? 2 * rounded(p->keys, BLOCK) : 0;
    p->dp = reserve(&p->scratch, (size_t)p->together * tile);
    if (!p->is_long)
        return;
    p->p = reserve(&p->scratch, tile);
    p->k = reserve(&p->scratch, copied * d);
    p->v = reserve(&p->scratch, copied * d_v);
    p->d_out = reserve(&p->scratch, rows * d_v);
    p->q = reserve(&p->scratch, rows * d);
}

/* Makes the plan for the operands q, k and v: in[0], in[1] and in[2]. */
static Plan
plan_of(Node *const *in)
{
    const Node *q = in[0], *k = in[1], *v = in[2];
    size_t d = (size_t)(k->cols / k->heads), d_v = (size_t)(v->cols / v->heads);
    Plan p = {.tokens = q->rows / q->sequences, .keys = k->rows / k->sequences};
    p.is_long = p.keys > SHORT;
    /* If two operands are the same matrix, several tiles of a head would sum
       its gradient in a different order from the heart. */
    bool all_differ =
        q->root != k->root && q->root != v->root && k->root != v->root;
    bool several_tiles = p.is_long && p.tokens > TILE && all_differ;
    p.copies = several_tiles;
    p.rows = several_tiles ? TILE : p.tokens;
    /* A row of weights is whole vectors long. In a long attention it is LANES
       longer, so that its length is no power of 2: rows of such a length would
       compete for the same few lines of the first cache. */
    p.stride = (int)rounded(p.keys, LANES) + (p.is_long ? LANES : 0);
    p.kept = p.is_long ? 0 : (size_t)q->rows * q->heads * (size_t)p.stride;
    /* heads_of goes from one head to the next in q, k and v at once, so all
       three need equally many. */
    p.of_heads =
        q->sequences == 1 && k->heads == q->heads && v->heads == q->heads;
    p.together = tiles_together(&p, p.of_heads ? q->heads : q->sequences);
    lay_out_scratch(&p, d, d_v);
    return p;
}

/* The keys, or values, of a head. If several tiles read them, they are copied
   first. The copies have for each block its transpose (width x BLOCK), and then
   the block itself (BLOCK x width): together twice its entries, so the copies
   of the block from number `first` on begin at entry 2 * first * width. */
typedef struct Blocks {
    Matrix rows;  /* (tokens x width), the original */
    real *copies; /* NULL if there are none */
} Blocks;

/* A tile: queries first .. first + rows - 1 of head h in sequence s. `count`
   tiles are computed together: this one, and the tiles of the next count - 1
   heads or sequences. Its matrices are batches of `count` matrices. */
typedef struct QueryTile {
    int s, h, count, first, rows;
    int heads;      /* of q */
    int first_sees; /* number of keys that the first row sees */
    int seen;       /* number of keys that the last row sees, and so the columns
                       of P and dP */
    bool of_heads;  /* as in Plan */
    Matrix q;       /* (rows x d) */
    Blocks k, v;    /* (tokens x d), (tokens x d_v) */
    Matrix p, dp;   /* (rows x seen) */
    real *d_out; /* scratch for dO (rows x d_v); NULL if the weights are kept */
} QueryTile;

/* The head that tile t uses of a matrix at `at`, which has n's shape, and the
   heads or sequences that are computed together with it, as a batch. If n has
   fewer heads than q, neighbouring heads of q share one of n. */
static Matrix
heads_of(const Node *n, real *at, const QueryTile *t)
{
    int sharing = t->heads / n->heads; /* heads of q for one of n */
    Matrix m = head_of(n, at, t->s, t->h / sharing);
    /* The next matrix is the next head, or this head of the next sequence. */
    m.step = t->of_heads ? m.cols : m.step;
    m.count = t->count;
    return m;
}

/* The tile's rows of a matrix at `at`, which has the shape of n: of q, or of
   the output. */
static Matrix
rows_of_tile(const Node *n, real *at, const QueryTile *t)
{
    return some_rows(heads_of(n, at, t), t->first, t->rows);
}

/* The first `count` keys or values (count x width) of the block that begins at
   number `first`; block_transposed returns their transpose. */
static Matrix
block(const Blocks *b, int first, int count)
{
    int width = b->rows.cols;
    if (b->copies)
        return matrix(b->copies + (2 * first + BLOCK) * width, count, width,
                      width);
    return some_rows(b->rows, first, count);
}

static Matrix
block_transposed(const Blocks *b, int first, int count)
{
    int width = b->rows.cols;
    if (b->copies)
        return matrix(b->copies + 2 * first * width, width, count, BLOCK);
    return transposed(some_rows(b->rows, first, count));
}

/* Fills b->copies from b->rows. */
static void
copy_blocks(const Blocks *b)
{
    for (int i = 0; i < b->rows.rows; i += BLOCK) {
        int count = least(b->rows.rows - i, BLOCK);
        Matrix rows = some_rows(b->rows, i, count);
        copy_matrix(block(b, i, count).at, rows, rows.cols);
        copy_matrix(block_transposed(b, i, count).at, transposed(rows), BLOCK);
    }
}

/* C = A B', block by block: an entry for each row of A and key or value of B.
 */
static void
multiply_transposed(Matrix c, Matrix a, const Blocks *b)
{
    for (int j = 0; j < c.cols; j += BLOCK) {
        int count = least(c.cols - j, BLOCK);
        multiply(some_columns(c, j, count), a, block_transposed(b, j, count));
    }
}

/* C (rows x width) += A B, block by block. */
static void
add_blocks(Matrix c, Matrix a, const Blocks *b)
{
    for (int j = 0; j < a.cols; j += BLOCK) {
        int count = least(a.cols - j, BLOCK);
        multiply_add(c, some_columns(a, j, count), block(b, j, count));
    }
}

/* C (rows x width) = A B. The first block sets C, and the others add to it. */
static void
multiply_blocks(Matrix c, Matrix a, const Blocks *b)
{
    for (int j = 0; j < a.cols; j += BLOCK) {
        int count = least(a.cols - j, BLOCK);
        Matrix aj = some_columns(a, j, count), bj = block(b, j, count);
        if (j == 0)
            multiply(c, aj, bj);
        else
            multiply_add(c, aj, bj);
    }
}

/* Copies m to `to`, so that its rows follow one another, and returns the copy.
 */
static Matrix
gathered(Matrix m, real *to)
{
    copy_matrix(to, m, m.cols);
    return matrix(to, m.rows, m.cols, m.cols);
}

/* The tile of head h and sequence s that begins at query `first`, to be
   computed in the scratch of this worker. A short attention has one tile for
   each head and sequence, whose last query sees all keys. */
static QueryTile
tile_of(const Node *c, const Plan *p, int s, int h, int first, int worker)
{
    const Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    const ScaleAndMask *a = c->arguments;
    real *scratch = c->kept + p->kept + (size_t)worker * p->scratch;
    int rows = least(p->tokens - first, p->rows), last = first + rows - 1;
    int tiles_left = p->of_heads ? q->heads - h : q->sequences - s;
    QueryTile t = {.s = s,
                   .h = h,
                   .count = least(tiles_left, p->together),
                   .first = first,
                   .rows = rows,
                   .heads = q->heads,
                   .of_heads = p->of_heads};
    t.first_sees = keys_seen(a->causal, first, p->tokens, p->keys);
    t.seen = keys_seen(a->causal, last, p->tokens, p->keys);
    t.q = rows_of_tile(q, q->value, &t);
    t.k.rows = heads_of(k, k->value, &t);
    t.v.rows = heads_of(v, v->value, &t);
    t.dp = matrix(scratch + p->dp, rows, t.seen, p->stride);
    t.dp.count = t.count;
    t.dp.step = (ptrdiff_t)rows * p->stride;
    /* Kept weights are sorted by head, then by sequence, then by query. */
    ptrdiff_t row = ((ptrdiff_t)h * q->sequences + s) * p->tokens + first;
    t.p = t.dp; /* which has the same shape */
    t.p.at = p->is_long ? scratch + p->p : c->kept + row * p->stride;
    if (p->is_long) {
        t.k.copies = p->copies ? scratch + p->k : NULL;
        t.v.copies = p->copies ? scratch + p->v : NULL;
        t.d_out = scratch + p->d_out;
        t.q = gathered(t.q, scratch + p->q);
    }
    return t;
}

/* P = softmax(mask(scale Q K')) in each tile n. If causal, a row sees one key
   more than the row before. Rows are as wide as whole vectors: the weights of
   keys that a row does not see, or that do not exist, are 0. */
static void
make_weights(const QueryTile *t, const ScaleAndMask *a)
{
    int wide = (int)rounded(t->seen, LANES);
    multiply_transposed(t->p, t->q, &t->k);
    for (int n = 0; n < t->count; n++)
        for (int i = 0; i < t->rows; i += ROWS_AT_A_TIME) {
            real *row = t->p.at + n * t->p.step + i * t->p.down;
            int rows = least(t->rows - i, ROWS_AT_A_TIME);
            int seen = t->first_sees + a->causal * i; /* by row i */
            rows_softmax(row, t->p.down, rows, (real)a->scale, seen, a->causal,
                         wide);
        }
}

/* O = P V */
static void
tile_forward(Node *c, const QueryTile *t)
{
    make_weights(t, c->arguments);
    multiply_blocks(rows_of_tile(c, c->value, t), t->p, &t->v);
}

/* P was softmax(scale S), so now dS = scale P (dP - rowsum(P dP)), which
   overwrites dP. A masked weight is 0, and so is its dS. The rows of all tiles
   that are computed together follow one another. */
static void
scores_backward(const QueryTile *t, real scale)
{
    for (int i = 0; i < t->count * t->rows; i++) {
        real *ds = t->dp.at + i * t->dp.down, *w = t->p.at + i * t->p.down;
        real mean = lane_dot(w, ds, t->seen);
        for (int j = 0; j < t->seen; j++)
            ds[j] = scale * w[j] * (ds[j] - mean);
    }
}

/* The gradient of k or v, which is n, in the rows that the tile sees: the first
   t->seen. */
static Matrix
seen_gradient(const QueryTile *t, Node *n)
{
    return some_rows(heads_of(n, gradient(n), t), 0, t->seen);
}

/* In the forward pass O was P V, so now dV += P' dO and dP = dO V'. S was Q K',
   so now dQ += dS K and dK += dS' Q. */
static void
tile_backward(Node *c, const QueryTile *t)
{
    Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    const ScaleAndMask *a = c->arguments;
    Matrix d_out = rows_of_tile(c, c->gradient, t);
    if (t->d_out) {
        make_weights(t, a);
        d_out = gathered(d_out, t->d_out);
    }
    if (v->trained)
        multiply_add(seen_gradient(t, v), transposed(t->p), d_out);
    if (!q->trained && !k->trained)
        return;
    multiply_transposed(t->dp, d_out, &t->v);
    scores_backward(t, (real)a->scale);
    if (q->trained)
        add_blocks(rows_of_tile(q, gradient(q), t), t->dp, &t->k);
    if (k->trained)
        multiply_add(seen_gradient(t, k), transposed(t->dp), t->q);
}

/* The forward or backward pass of one call of attend, which visits every tile.
   The heads of q are divided into groups. A chunk is the work that one thread
   takes at a time: one group in one sequence or, if tiles of several sequences
   are computed together, in Plan.together sequences. */
typedef struct Work {
    Node *c;
    Plan plan;
    int groups; /* of heads */
    int chunks; /* of all sequences */
    void (*visit)(Node *c, const QueryTile *t);
} Work;

/* Visits every tile of a chunk: a group of heads, in p->together sequences or,
   if tiles are heads, in the only sequence. The chunks of the same sequences
   have consecutive numbers, one for each group, so chunk / groups * p->together
   is the number of the first of these sequences. */
static void
each_tile(const Work *w, int chunk, int worker)
{
    const Plan *p = &w->plan;
    int group = chunk % w->groups, s = chunk / w->groups * p->together;
    int heads = w->c->heads / w->groups; /* of a group */
    int first_head = group * heads, end = first_head + heads;
    for (int h = first_head; h < end; h += p->of_heads ? p->together : 1)
        for (int first = 0; first < p->tokens; first += p->rows) {
            QueryTile t = tile_of(w->c, p, s, h, first, worker);
            if (first == 0 && p->copies) { /* once for all tiles of a head */
                copy_blocks(&t.k);
                copy_blocks(&t.v);
            }
            w->visit(w->c, &t);
        }
}

/* The work of workers from .. to - 1: worker i does every thread_count'th
   chunk, from chunk i on. */
static void
some_chunks(void *work, long from, long to)
{
    const Work *w = work;
    for (int worker = (int)from; worker < to; worker++)
        for (int i = worker; i < w->chunks; i += thread_count)
            each_tile(w, i, worker);
}

/* The number of groups of heads. Heads of q that share a head of k or of v are
   in one group, and so in one thread, because they add to the same gradient. So
   the number is the greatest common divisor of the heads of k and of v, by
   Euclid's algorithm. */
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

/* Calls visit(c, t) for each tile t of c. Threads share the chunks. */
static void
pass_over(Node *c, void (*visit)(Node *c, const QueryTile *t))
{
    Work w = {.c = c, .plan = plan_of(c->in), .visit = visit};
    int sequences = c->in[0]->sequences, together = w.plan.together;
    w.groups = shared_groups(c->in[1], c->in[2]);
    /* If tiles are heads, each head has its own keys and values (plan_of), so
       shared_groups counts each as a group. Those that are computed together
       make one group. */
    if (w.plan.of_heads)
        w.groups /= together;
    w.chunks = (sequences + together - 1) / together * w.groups;
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
    for (int i = 0; i < c->inputs; i++)
        if (c->in[i]->trained)
            gradient(c->in[i]); /* zeroed before several threads add to it */
    pass_over(c, tile_backward);
}

const Operator attend_op = {"attend", attend_forward, attend_backward};

Node *
attend(Attention *a, Node *q, Node *k, Node *v, double scale)
{
    AttendFunction *other = other_attend(a, q);
    if (other)
        return other(a, q, k, v, scale);
    attend_operands(a, &q, &k, &v);
    Plan p = plan_of((Node *[]){q, k, v});
    return make(&attend_op, OF(q, k, v),
                (Spec){.cols = q->heads * (v->cols / v->heads),
                       WITH((ScaleAndMask){scale, a->causal}),
                       .keeps = p.kept + (size_t)thread_count * p.scratch});
}

/* n *= inverse and y = gain n + bias, for one row of d entries. */
static inline void
scale_and_shift(int d, real *restrict y, real *restrict n, real inverse,
                const real *restrict gain, const real *restrict bias)
{
    for (int j = 0; j < d; j++) {
        n[j] *= inverse;
        y[j] = gain[j] * n[j] + bias[j];
    }
}

/* n = (x - mean) / deviation, y = gain n + bias. Each step is done in
   ROWS_AT_A_TIME rows before the next step (lanes.h). */
static void
norm_forward(Node *c)
{
    real *inverse = c->kept + size_of(c);
    int d = c->cols;
    for (int first = 0; first < c->rows; first += ROWS_AT_A_TIME) {
        int end = first + least(c->rows - first, ROWS_AT_A_TIME);
        const real *x = c->in[0]->value;
        for (int i = first; i < end; i++) {
            real *restrict n = c->kept + i * d;
            real mean = lane_sum(x + i * d, d) / (real)d;
            for (int j = 0; j < d; j++)
                n[j] = x[i * d + j] - mean;
        }
        for (int i = first; i < end; i++) {
            const real *n = c->kept + i * d;
            inverse[i] = 1 / SQRT(lane_dot(n, n, d) / (real)d + NORM_EPSILON);
        }
        for (int i = first; i < end; i++)
            scale_and_shift(d, c->value + i * d, c->kept + i * d, inverse[i],
                            c->in[1]->value, c->in[2]->value);
    }
}

/* In the forward pass y was gain n + bias, so now dGain += dC n and dBias +=
   dC, and the gradient of n is g = gain dC. This is done for `rows` rows of d
   entries, LANES columns at a time, whose sums stay in registers for all rows.
 */
static void
norm_to_gain(int rows, int d, const real *dc, const real *n, const real *gain,
             real *dgain, real *dbias, real *g)
{
    for (int j = 0; j < d; j += LANES) {
        Widest gains[PARTS], to_gain[PARTS], to_bias[PARTS];
        Widest dci[PARTS], ni[PARTS];
        load(gains, gain + j, d - j);
        load(to_gain, dgain + j, d - j);
        load(to_bias, dbias + j, d - j);
        for (int i = j; i < rows * d; i += d) { /* entry j of each row */
            load(dci, dc + i, d - j);
            load(ni, n + i, d - j);
            EACH_PART to_gain[p] += dci[p] * ni[p];
            EACH_PART to_bias[p] += dci[p];
            EACH_PART dci[p] *= gains[p];
            store(g + i, dci, d - j);
        }
        store(dgain + j, to_gain, d - j);
        store(dbias + j, to_bias, d - j);
    }
}

/* In the forward pass n was (x - mean) / deviation, so now dX += (g - mean(g) -
   n mean(g n)) / deviation: an entry of x also changed the mean of its row,
   hence mean(g), and the deviation, hence n mean(g n). This is done for `rows`
   rows, at most ROWS_AT_A_TIME. `inverse` has 1 / deviation of each. */
static void
norm_to_x(int rows, int d, real *dx, const real *g, const real *n,
          const real *inverse)
{
    real mean_g[ROWS_AT_A_TIME], mean_gn[ROWS_AT_A_TIME];
    for (int i = 0; i < rows; i++) {
        mean_g[i] = lane_sum(g + i * d, d) / (real)d;
        mean_gn[i] = lane_dot(g + i * d, n + i * d, d) / (real)d;
    }
    for (int i = 0; i < rows; i++, dx += d, g += d, n += d)
        for (int j = 0; j < d; j++)
            dx[j] += (g[j] - mean_g[i] - n[j] * mean_gn[i]) * inverse[i];
}

/* Computes both steps for ROWS_AT_A_TIME rows at a time. The gradient g of
   these rows is in the scratch after the kept n and 1 / deviation. */
static void
norm_backward(Node *c)
{
    const real *gain = c->in[1]->value;
    real *dgain = gradient(c->in[1]), *dbias = gradient(c->in[2]);
    real *dx = c->in[0]->trained ? gradient(c->in[0]) : NULL;
    real *inverse = c->kept + size_of(c), *g = inverse + c->rows;
    for (int i = 0; i < c->rows; i += ROWS_AT_A_TIME) {
        int rows = least(c->rows - i, ROWS_AT_A_TIME), d = c->cols;
        const real *n = c->kept + i * d;
        norm_to_gain(rows, d, c->gradient + i * d, n, gain, dgain, dbias, g);
        if (dx)
            norm_to_x(rows, d, dx + i * d, g, n, inverse + i);
    }
}

const Operator layer_norm_op = {"layer_norm", norm_forward, norm_backward};

/* In c->kept the node has n, then 1 / deviation of each row, then memory for
   ROWS_AT_A_TIME rows of g. */
Node *
layer_norm(Node *x, Node *gain, Node *bias)
{
    size_t keeps = size_of(x) + x->rows + (size_t)x->cols * ROWS_AT_A_TIME;
    return make(&layer_norm_op, OF(x, gain, bias), (Spec){.keeps = keeps});
}
