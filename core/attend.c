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

/* Head h of sequence s of a matrix with n's shape that lies at `at`. */
Matrix
head_of(const Node *n, real *at, int s, int h)
{
    int tokens = n->rows / n->sequences, width = n->cols / n->heads;
    ptrdiff_t first = (ptrdiff_t)s * tokens * n->cols + (ptrdiff_t)h * width;
    return matrix(at + first, tokens, width, n->cols);
}

void
check_heads(const char *name, const Node *q, const Node *k)
{
    if (q->heads % k->heads || q->sequences != k->sequences)
        bug("%s: %d heads in %d sequences and %d heads in %d sequences do not "
            "fit",
            name, q->heads, q->sequences, k->heads, k->sequences);
}

void
check_scores(const char *name, const Node *q, const Node *k)
{
    check_heads(name, q, k);
    if (q->cols / q->heads != k->cols / k->heads)
        bug("%s: queries (%d x %d) of %d heads and keys (%d x %d) of %d heads "
            "differ in width per head",
            name, q->rows, q->cols, q->heads, k->rows, k->cols, k->heads);
}

/* What a product of every query with every key (or weight with value) costs,
   `width` numbers each, and its way back. Masked pairs are counted too. */
double
pair_flops(const Node *q, int asked, int width)
{
    return 2. * q->rows * q->heads * asked * width;
}

/* A mask by position asks for as many keys as queries. */
void
check_mask(const char *name, const Attention *a, int tokens, int asked)
{
    if (a->causal && tokens != asked)
        bug("%s: a causal mask needs as many keys as queries, not %d and %d",
            name, asked, tokens);
}

/* Where an attention is short its weights P are kept, (tokens x heads*asked).
   Where it is long they are made strip by strip, STRIP rows of queries at a
   time, and made again on the way back from what is kept of each row: its
   largest score and 1 / the sum of its exponentials. So memory grows with the
   tokens, not with their square. */
enum { STRIP = 32, SHORT = 64 };

/* One strip of one head of one sequence: the rows of q from `first` on, and the
   keys and values that the last of them sees. */
typedef struct Strip {
    int s, h, first, rows, seen;
    real *room;     /* for dP */
    Matrix q, k, v; /* (rows x d), (seen x d), (seen x d_v) */
    Matrix p;       /* (rows x seen) */
    real *of_row;   /* max, 1 / sum of each row; NULL where p is kept */
} Strip;

static Matrix
rows_of(Matrix m, int first, int count)
{
    return (Matrix){m.at + first * m.down, count, m.cols, m.down, m.across};
}

static bool
is_long(const Node *k)
{
    return k->rows / k->sequences > SHORT;
}

/* Rows of weights are as long as whole vectors, zeros behind their end. */
static int
padded(int asked)
{
    return (asked + LANES - 1) / LANES * LANES;
}

/* From row to row of a strip at work: not a power of 2, since such rows would
   all want the same few lines of the first cache. */
static int
strip_width(const Node *k)
{
    return padded(k->rows / k->sequences) + (is_long(k) ? LANES : 0);
}

/* Numbers to be kept of a call, without room for the strips at work. */
static size_t
kept_numbers(const Node *q, const Node *k)
{
    size_t rows = (size_t)q->rows * (size_t)q->heads;
    return rows * (is_long(k) ? 2 : (size_t)padded(k->rows / k->sequences));
}

static int
strip_rows(const Node *q, const Node *k)
{
    return is_long(k) ? STRIP : q->rows / q->sequences;
}

/* What a worker needs for a strip at work: dP, and P where it is not kept. */
static size_t
strip_numbers(const Node *q, const Node *k)
{
    return (size_t)(1 + is_long(k)) * (size_t)strip_rows(q, k) *
           (size_t)strip_width(k);
}

/* The strip that begins at row `first`, in the hands of a worker. */
static Strip
strip_of(const Node *c, int s, int h, int first, int worker)
{
    const Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    int tokens = q->rows / q->sequences, asked = k->rows / k->sequences;
    int most = strip_rows(q, k), left = tokens - first;
    int rows = left < most ? left : most;
    int seen = c->first && is_long(k) ? first + rows : asked;
    Strip t = {.s = s, .h = h, .first = first, .rows = rows, .seen = seen};
    t.q = rows_of(head_of(q, q->value, s, h), first, rows);
    t.k = rows_of(head_of(k, k->value, s, h / (q->heads / k->heads)), 0, seen);
    t.v = rows_of(head_of(v, v->value, s, h / (q->heads / v->heads)), 0, seen);
    t.room =
        c->kept + kept_numbers(q, k) + (size_t)worker * strip_numbers(q, k);
    if (is_long(k)) {
        size_t row =
            ((size_t)s * (size_t)q->heads + (size_t)h) * (size_t)tokens +
            (size_t)first;
        t.of_row = c->kept + 2 * row;
        t.p = matrix(t.room + most * strip_width(k), rows, seen, strip_width(k));
    } else {
        Node shape = {.rows = q->rows,
                      .cols = q->heads * padded(asked),
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
    multiply(t->p, t->q, transposed(t->k));
    for (int i = 0; i < t->rows; i += ABREAST) {
        int left = t->rows - i, rows = left < ABREAST ? left : ABREAST;
        rows_softmax(t->p.at + i * t->p.down, t->p.down, rows, scale,
                     causal ? t->first + i + 1 : t->seen, causal,
                     padded(t->seen), t->of_row ? t->of_row + 2 * i : unkept);
    }
}

/* The same numbers once more, to the bit. */
static void
make_weights_again(const Strip *t, real scale, int causal)
{
    multiply(t->p, t->q, transposed(t->k));
    for (int i = 0; i < t->rows; i++)
        row_weights(t->p.at + i * t->p.down, scale,
                    causal ? t->first + i + 1 : t->seen, padded(t->seen),
                    t->of_row + 2 * i);
}

/* dV += P' dO,  dP = dO V',  dS = scale P (dP - rowsum(P dP)),
   dQ += dS K,  dK += dS' Q */
static void
strip_backward(Node *c, const Strip *t)
{
    Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    int k_head = t->h / (q->heads / k->heads);
    int v_head = t->h / (q->heads / v->heads);
    Matrix p = t->p, dp = matrix(t->room, t->rows, t->seen, strip_width(k));
    Matrix d = rows_of(head_of(c, c->gradient, t->s, t->h), t->first, t->rows);
    if (v->trained)
        multiply_add(rows_of(head_of(v, gradient(v), t->s, v_head), 0, t->seen),
                     transposed(p), d);
    if (!q->trained && !k->trained)
        return;
    multiply(dp, d, transposed(t->v));
    for (int i = 0; i < t->rows; i++) {
        real *ds = dp.at + i * dp.down, *w = p.at + i * p.down;
        real mean = row_dot(w, ds, t->seen);
        row_softmax_back(ds, w, (real)c->number, mean, t->seen);
    }
    if (q->trained)
        multiply_add(
            rows_of(head_of(q, gradient(q), t->s, t->h), t->first, t->rows), dp,
            t->k);
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
    multiply(rows_of(head_of(c, c->value, t->s, t->h), t->first, t->rows), t->p,
             t->v);
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
                          (size_t)threads_count() * strip_numbers(q, k));
    if (c->value)
        share_out(c->sequences * groups_of(c), forward_piece, c);
    if (a->watch)
        watch_call(a->watch, (Call){q, k, v, c, scale, a->causal});
    return c;
}
