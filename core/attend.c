/* attend.c - scaled dot-product attention in one step.

   "Attention Is All You Need", equation 1, for every head of every sequence:
   P = softmax(mask(scale Q K')), O = P V. steps.c has the same in three. */
#include <stdbool.h>

#include "attend.h"
#include "fail.h"
#include "matrix.h"
#include "rows.h"
#include "tape.h"
#include "threads.h"

/* Where an attention is short its weights P are kept, (tokens x heads*asked).
   Where it is long they are made strip by strip, STRIP rows of queries at a
   time, and made again on the way back from what is kept of each row: its
   largest score and 1 / the sum of its exponentials. So memory grows with the
   tokens, not with their square. */
enum { STRIP = 32, SHORT = 64 };

/* The keys, or values, of a head. Strip after strip of a long attention reads
   them all: so they are copied first, BLOCK tokens at a time, transposed
   (width x BLOCK) and as they are (BLOCK x width), since rows that lie far
   apart would want the same few lines of the first cache. */
enum { BLOCK = 64 };
typedef struct Blocks {
    Matrix rows;  /* (tokens x width), where they lie */
    real *copies; /* NULL: none */
} Blocks;

/* One strip of one head of one sequence: the rows of q from `first` on, and how
   many keys the last of them sees. */
typedef struct Strip {
    int s, h, first, rows, seen;
    Matrix q;       /* (rows x d) */
    Blocks k, v;    /* (tokens x d), (tokens x d_v) */
    Matrix p, dp;   /* (rows x seen) */
    real *of_row;   /* max, 1 / sum of each row; NULL where p is kept */
    real *gradient; /* room for (rows x d_v), of a long attention */
} Strip;

static Matrix
rows_of(Matrix m, int first, int count)
{
    return (Matrix){m.at + first * m.down, count, m.cols, m.down, m.across};
}

static Matrix
cols_of(Matrix m, int first, int count)
{
    return transposed(rows_of(transposed(m), first, count));
}

/* Tokens first .. first + count, which lie in one block. */
static Matrix
block(const Blocks *b, int first, int count)
{
    int width = b->rows.cols;
    return b->copies ? matrix(b->copies + (2 * first + BLOCK) * width, count,
                              width, width)
                     : rows_of(b->rows, first, count);
}

static Matrix
block_transposed(const Blocks *b, int first, int count)
{
    int width = b->rows.cols;
    return b->copies
               ? matrix(b->copies + 2 * first * width, width, count, BLOCK)
               : transposed(rows_of(b->rows, first, count));
}

static int
in_block(int first, int seen)
{
    return seen - first < BLOCK ? seen - first : BLOCK;
}

static void
copy_blocks(const Blocks *b)
{
    for (int i = 0; i < b->rows.rows; i += BLOCK) {
        int count = in_block(i, b->rows.rows);
        Matrix rows = rows_of(b->rows, i, count);
        copy_matrix(block(b, i, count).at, rows, rows.cols);
        copy_matrix(block_transposed(b, i, count).at, transposed(rows), BLOCK);
    }
}

/* C (rows x seen) = A B', of every row with every key or value */
static void
each_pair(Matrix c, Matrix a, const Blocks *b)
{
    for (int j = 0; j < c.cols; j += BLOCK) {
        int count = in_block(j, c.cols);
        multiply(cols_of(c, j, count), a, block_transposed(b, j, count));
    }
}

/* C (rows x width) += A B, where the first product, if `anew`, sets C */
static void
each_sum(Matrix c, Matrix a, const Blocks *b, bool anew)
{
    for (int j = 0; j < a.cols; j += BLOCK) {
        int count = in_block(j, a.cols);
        (anew && j == 0 ? multiply : multiply_add)(c, cols_of(a, j, count),
                                                   block(b, j, count));
    }
}

static bool
is_long(const Node *k)
{
    return k->rows / k->sequences > SHORT;
}

static int
rounded(int n, int multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

/* Rows of weights that are kept are as long as whole vectors, zeros behind
   their end; those at work no power of 2, for the sake of the cache. */
static int
row_length(const Node *k)
{
    return rounded(k->rows / k->sequences, LANES) + (is_long(k) ? LANES : 0);
}

/* Numbers to be kept of a call, without room for the strips at work. */
static size_t
kept_numbers(const Node *q, const Node *k)
{
    size_t rows = (size_t)q->rows * (size_t)q->heads;
    return rows * (is_long(k) ? 2 : (size_t)row_length(k));
}

static int
strip_rows(const Node *q, const Node *k)
{
    return is_long(k) ? STRIP : q->rows / q->sequences;
}

/* What a worker needs for a strip at work: dP; of a long one P, its rows of Q
   and of dO, and the blocks of K and V. */
static size_t
strip_numbers(const Node *q, const Node *k, const Node *v)
{
    size_t rows = (size_t)strip_rows(q, k), row = (size_t)row_length(k);
    size_t widths = (size_t)(k->cols / k->heads + v->cols / v->heads);
    size_t tokens = (size_t)rounded(k->rows / k->sequences, BLOCK);
    return is_long(k) ? 2 * rows * row + (rows + 2 * tokens) * widths
                      : rows * row;
}

/* Rows of a head, copied to `room` one after the other. */
static Matrix
gathered(Matrix m, real *room)
{
    copy_matrix(room, m, m.cols);
    return matrix(room, m.rows, m.cols, m.cols);
}

/* The strip that begins at row `first`, in the hands of a worker. */
static Strip
strip_of(const Node *c, int s, int h, int first, int worker)
{
    const Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    int tokens = q->rows / q->sequences, asked = k->rows / k->sequences;
    int most = strip_rows(q, k), left = tokens - first, row = row_length(k);
    int rows = left < most ? left : most;
    int seen = c->first && is_long(k) ? first + rows : asked;
    Strip t = {.s = s, .h = h, .first = first, .rows = rows, .seen = seen};
    t.q = rows_of(head_of(q, q->value, s, h), first, rows);
    t.k.rows = head_of(k, k->value, s, h / (q->heads / k->heads));
    t.v.rows = head_of(v, v->value, s, h / (q->heads / v->heads));
    real *room =
        c->kept + kept_numbers(q, k) + (size_t)worker * strip_numbers(q, k, v);
    t.dp = matrix(room, rows, seen, row);
    if (is_long(k)) {
        size_t at = ((size_t)s * (size_t)q->heads + (size_t)h) * (size_t)tokens;
        t.of_row = c->kept + 2 * (at + (size_t)first);
        t.p = matrix(room + most * row, rows, seen, row);
        room += 2 * most * row;
        t.k.copies = room;
        t.v.copies = t.k.copies + 2 * rounded(asked, BLOCK) * t.k.rows.cols;
        t.gradient = t.v.copies + 2 * rounded(asked, BLOCK) * t.v.rows.cols;
        t.q = gathered(t.q, t.gradient + most * t.v.rows.cols);
    } else {
        Node shape = {.rows = q->rows,
                      .cols = q->heads * row,
                      .sequences = q->sequences,
                      .heads = q->heads};
        t.p = head_of(&shape, c->kept, s, h);
        t.p.cols = asked;
    }
    return t;
}

/* P = softmax(mask(scale Q K')), row by row; notes what P can be made from
   again. */
static void
make_weights(const Strip *t, real scale, int causal)
{
    real unkept[2 * ABREAST] = {0};
    int wide = rounded(t->seen, LANES);
    each_pair(t->p, t->q, &t->k);
    for (int i = 0; i < t->rows; i += ABREAST) {
        int left = t->rows - i, rows = left < ABREAST ? left : ABREAST;
        rows_softmax(t->p.at + i * t->p.down, t->p.down, rows, scale,
                     causal ? t->first + i + 1 : t->seen, causal, wide,
                     t->of_row ? t->of_row + 2 * i : unkept);
    }
}

/* The same numbers once more, to the bit. */
static void
make_weights_again(const Strip *t, real scale, int causal)
{
    each_pair(t->p, t->q, &t->k);
    for (int i = 0; i < t->rows; i++)
        row_weights(t->p.at + i * t->p.down, scale,
                    causal ? t->first + i + 1 : t->seen,
                    rounded(t->seen, LANES), t->of_row + 2 * i);
}

/* dV += P' dO,  dP = dO V',  dS = scale P (dP - rowsum(P dP)),
   dQ += dS K,  dK += dS' Q */
static void
strip_backward(Node *c, const Strip *t)
{
    Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    int k_head = t->h / (q->heads / k->heads);
    int v_head = t->h / (q->heads / v->heads);
    Matrix p = t->p, dp = t->dp;
    Matrix d = rows_of(head_of(c, c->gradient, t->s, t->h), t->first, t->rows);
    if (t->gradient)
        d = gathered(d, t->gradient);
    if (v->trained)
        multiply_add(rows_of(head_of(v, gradient(v), t->s, v_head), 0, t->seen),
                     transposed(p), d);
    if (!q->trained && !k->trained)
        return;
    each_pair(dp, d, &t->v);
    for (int i = 0; i < t->rows; i++) {
        real *ds = dp.at + i * dp.down, *w = p.at + i * p.down;
        real mean = row_dot(w, ds, t->seen);
        row_softmax_back(ds, w, (real)c->number, mean, t->seen);
    }
    if (q->trained)
        each_sum(
            rows_of(head_of(q, gradient(q), t->s, t->h), t->first, t->rows), dp,
            &t->k, false);
    if (k->trained)
        multiply_add(rows_of(head_of(k, gradient(k), t->s, k_head), 0, t->seen),
                     transposed(dp), t->q);
}

/* Heads of q that share a head of k or of v stay together: they add to the same
   gradient. So a call divides into sequences times the groups of these. */
static int
groups_of(const Node *c)
{
    int a = c->in[1]->heads, b = c->in[2]->heads;
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Every strip of a piece, forward or on the way back. */
static void
each_strip(Node *c, int piece, int worker, void (*visit)(Node *, const Strip *))
{
    const Node *q = c->in[0], *k = c->in[1];
    int groups = groups_of(c), each = c->heads / groups;
    int tokens = q->rows / q->sequences, most = strip_rows(q, k);
    for (int i = 0; i < each; i++)
        for (int first = 0; first < tokens; first += most) {
            Strip t = strip_of(c, piece / groups, piece % groups * each + i,
                               first, worker);
            if (first == 0 && t.of_row) {
                copy_blocks(&t.k);
                copy_blocks(&t.v);
            }
            visit(c, &t);
        }
}

static void
visit_back(Node *c, const Strip *t)
{
    if (t->of_row)
        make_weights_again(t, (real)c->number, c->first);
    strip_backward(c, t);
}

static void
back_piece(void *c, int piece, int worker)
{
    each_strip(c, piece, worker, visit_back);
}

static void
attend_backward(Node *c)
{
    for (int i = 0; i < 3; i++)
        if (c->in[i]->trained)
            gradient(c->in[i]); /* zeroed before many add to it */
    share_out(c->sequences * groups_of(c), back_piece, c);
}

/* O = P V */
static void
visit_forward(Node *c, const Strip *t)
{
    make_weights(t, (real)c->number, c->first);
    each_sum(rows_of(head_of(c, c->value, t->s, t->h), t->first, t->rows), t->p,
             &t->v, true);
}

static void
forward_piece(void *c, int piece, int worker)
{
    each_strip(c, piece, worker, visit_forward);
}

Node *
attend(Attention *a, Node *q, Node *k, Node *v, double scale)
{
    check_scores("attend", q, k);
    check_heads("attend", q, v);
    int asked = k->rows / k->sequences;
    check_mask("attend", a, q->rows / q->sequences, asked);
    if (v->rows != k->rows)
        bug("attend: keys (%d x %d) and values (%d x %d) do not fit", k->rows,
            k->cols, v->rows, v->cols);
    Node *c = new_node(q->rows, q->heads * (v->cols / v->heads),
                       attend_backward, (Node *[]){q, k, v}, 3);
    double to_score = pair_flops(q, asked, q->cols / q->heads);
    double to_weigh = pair_flops(q, asked, v->cols / v->heads);
    c->heads = q->heads;
    c->number = scale;
    c->first = a->causal;
    c->flops[0] = to_score + to_weigh;
    c->flops[1] = to_score * (q->trained + k->trained) +
                  to_weigh * ((q->trained || k->trained) + v->trained);
    c->kept = keep(c, kept_numbers(q, k) +
                          (size_t)threads_count() * strip_numbers(q, k, v));
    if (c->value)
        share_out(c->sequences * groups_of(c), forward_piece, c);
    if (a->watch)
        watch_call(a->watch, (Call){q, k, v, c, scale, a->causal});
    return c;
}
