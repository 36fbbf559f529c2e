/* attend.c - scaled dot-product attention in one step.

   "Attention Is All You Need", equation 1, for every head of every sequence:
   P = softmax(mask(scale Q K')), O = P V. steps.c has the same in three. */
#include <stdbool.h>

#include "base/fail.h"
#include "base/threads.h"
#include "math/matrix.h"
#include "math/rows.h"
#include "tape/attend.h"
#include "tape/recording.h"
#include "tape/tape.h"

/* What attend was called with besides q, k and v. */
typedef struct Arguments {
    double scale;
    int causal;
} Arguments;

/* Where an attention is short its weights P are kept, (tokens x heads*asked).
   Where it is long they are made strip by strip, STRIP rows of queries at a
   time, and made again on the way back from what is kept of each row: its
   largest score and 1 / the sum of its exponentials. So memory grows with the
   tokens, not with their square. */
enum { STRIP = 32, SHORT = 64, BLOCK = 64 };

/* What all strips of a call have in common. */
typedef struct Plan {
    int tokens, asked; /* queries, and keys, of a sequence */
    int rows;          /* of q in a strip */
    int row;           /* numbers from row to row of weights */
    bool is_long;
    size_t kept, room; /* numbers: kept of a call, and for a strip at work */
} Plan;

static size_t
rounded(int n, int multiple)
{
    return (size_t)((n + multiple - 1) / multiple * multiple);
}

/* Rows of weights that are kept are as long as whole vectors; those at work no
   power of 2, since such rows would all want the same few lines of the first
   cache. A strip at work needs dP; of a long attention P, its rows of Q and of
   dO, and the blocks of K and V. */
static Plan
plan_of(const Node *q, const Node *k, const Node *v)
{
    Plan p = {.tokens = q->rows / q->sequences,
              .asked = k->rows / k->sequences};
    p.is_long = p.asked > SHORT;
    p.rows = p.is_long ? STRIP : p.tokens;
    p.row = (int)rounded(p.asked, LANES) + (p.is_long ? LANES : 0);
    size_t strip = (size_t)p.rows * (size_t)p.row;
    size_t widths = (size_t)(k->cols / k->heads + v->cols / v->heads);
    p.kept =
        (size_t)q->rows * (size_t)q->heads * (p.is_long ? 2 : (size_t)p.row);
    p.room = strip;
    if (p.is_long)
        p.room += strip + (STRIP + 2 * rounded(p.asked, BLOCK)) * widths;
    return p;
}

/* The keys, or values, of a head. Strip after strip of a long attention reads
   them all: so they are copied first, BLOCK tokens at a time, transposed
   (width x BLOCK) and as they are (BLOCK x width). */
typedef struct Blocks {
    Matrix rows;  /* (tokens x width), where they lie */
    real *copies; /* NULL: none */
} Blocks;

/* One strip of one head of one sequence: the rows of q from `first` on, and how
   many keys the last of them sees. */
typedef struct Strip {
    int s, h, first, rows, seen;
    Matrix q;     /* (rows x d) */
    Blocks k, v;  /* (tokens x d), (tokens x d_v) */
    Matrix p, dp; /* (rows x seen) */
    real *of_row; /* max, 1 / sum of each row; NULL where p is kept */
    real *d;      /* room for (rows x d_v); NULL: not needed */
} Strip;

/* Tokens first .. first + count, which lie in one block. */
static Matrix
block(const Blocks *b, int first, int count)
{
    int width = b->rows.cols;
    return b->copies ? matrix(b->copies + (2 * first + BLOCK) * width, count,
                              width, width)
                     : some_rows(b->rows, first, count);
}

static Matrix
block_transposed(const Blocks *b, int first, int count)
{
    int width = b->rows.cols;
    return b->copies
               ? matrix(b->copies + 2 * first * width, width, count, BLOCK)
               : transposed(some_rows(b->rows, first, count));
}

static int
in_block(int first, int seen)
{
    return seen - first < BLOCK ? seen - first : BLOCK;
}

static void
copy_blocks(const Blocks *b)
{
    for (int i = 0, count; i < b->rows.rows; i += count) {
        count = in_block(i, b->rows.rows);
        Matrix rows = some_rows(b->rows, i, count);
        copy_matrix(block(b, i, count).at, rows, rows.cols);
        copy_matrix(block_transposed(b, i, count).at, transposed(rows), BLOCK);
    }
}

/* C (rows x seen) = A B', of every row with every key or value */
static void
each_pair(Matrix c, Matrix a, const Blocks *b)
{
    for (int j = 0, count; j < c.cols; j += count) {
        count = in_block(j, c.cols);
        multiply(part(c, 0, c.rows, j, count), a,
                 block_transposed(b, j, count));
    }
}

/* C (rows x width) (+)= A B */
static void
each_sum(Matrix c, Matrix a, const Blocks *b, bool add)
{
    for (int j = 0, count; j < a.cols; j += count, add = true) {
        count = in_block(j, a.cols);
        (add ? multiply_add : multiply)(c, part(a, 0, a.rows, j, count),
                                        block(b, j, count));
    }
}

/* A copy whose rows lie one after the other. */
static Matrix
gathered(Matrix m, real *room)
{
    copy_matrix(room, m, m.cols);
    return matrix(room, m.rows, m.cols, m.cols);
}

/* The strip that begins at row `first`, in the hands of a worker. */
static Strip
strip_of(const Node *c, const Plan *p, int s, int h, int first, int worker)
{
    const Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    int rows = p->tokens - first < p->rows ? p->tokens - first : p->rows;
    const Arguments *a = c->arguments;
    int seen = a->causal && p->is_long ? first + rows : p->asked;
    int number = s * q->heads + h; /* of this head in the whole batch */
    Strip t = {.s = s, .h = h, .first = first, .rows = rows, .seen = seen};
    t.q = some_rows(head_of(q, q->value, s, h), first, rows);
    t.k.rows = head_of(k, k->value, s, h / (q->heads / k->heads));
    t.v.rows = head_of(v, v->value, s, h / (q->heads / v->heads));
    real *room = c->kept + p->kept + (size_t)worker * p->room;
    t.dp = matrix(room, rows, seen, p->row);
    if (p->is_long) {
        size_t blocks = 2 * rounded(p->asked, BLOCK);
        t.of_row =
            c->kept + 2 * ((size_t)number * (size_t)p->tokens + (size_t)first);
        t.p = matrix(room + STRIP * p->row, rows, seen, p->row);
        t.k.copies = room + 2 * STRIP * p->row;
        t.v.copies = t.k.copies + blocks * (size_t)t.k.rows.cols;
        t.d = t.v.copies + blocks * (size_t)t.v.rows.cols;
        t.q = gathered(t.q, t.d + STRIP * t.v.rows.cols);
    } else
        t.p = matrix(c->kept + (size_t)number * (size_t)(rows * p->row), rows,
                     seen, p->row);
    return t;
}

/* P = softmax(mask(scale Q K')), row by row; notes what P can be made from
   again, or makes it from that, to the bit. */
static void
make_weights(const Strip *t, const Arguments *a, bool again)
{
    real unkept[2 * ABREAST] = {0};
    int wide = (int)rounded(t->seen, LANES);
    each_pair(t->p, t->q, &t->k);
    for (int i = 0; i < t->rows; i += ABREAST) {
        int rows = t->rows - i < ABREAST ? t->rows - i : ABREAST;
        (again ? rows_weights : rows_softmax)(
            t->p.at + i * t->p.down, t->p.down, rows, (real)a->scale,
            a->causal ? t->first + i + 1 : t->seen, a->causal, wide,
            t->of_row ? t->of_row + 2 * i : unkept);
    }
}

/* O = P V */
static void
strip_forward(Node *c, const Strip *t)
{
    make_weights(t, c->arguments, false);
    each_sum(some_rows(head_of(c, c->value, t->s, t->h), t->first, t->rows),
             t->p, &t->v, false);
}

/* dV += P' dO,  dP = dO V',  dS = scale P (dP - rowsum(P dP)),
   dQ += dS K,  dK += dS' Q */
static void
strip_backward(Node *c, const Strip *t)
{
    Node *q = c->in[0], *k = c->in[1], *v = c->in[2];
    const Arguments *a = c->arguments;
    int k_head = t->h / (q->heads / k->heads);
    int v_head = t->h / (q->heads / v->heads);
    Matrix p = t->p, dp = t->dp;
    Matrix d =
        some_rows(head_of(c, c->gradient, t->s, t->h), t->first, t->rows);
    if (t->of_row) {
        make_weights(t, c->arguments, true);
        d = gathered(d, t->d);
    }
    if (v->trained)
        multiply_add(
            some_rows(head_of(v, gradient(v), t->s, v_head), 0, t->seen),
            transposed(p), d);
    if (!q->trained && !k->trained)
        return;
    each_pair(dp, d, &t->v);
    for (int i = 0; i < t->rows; i++) {
        real *ds = dp.at + i * dp.down, *w = p.at + i * p.down;
        real mean = row_dot(w, ds, t->seen);
        row_softmax_back(ds, w, (real)a->scale, mean, t->seen);
    }
    if (q->trained)
        each_sum(
            some_rows(head_of(q, gradient(q), t->s, t->h), t->first, t->rows),
            dp, &t->k, true);
    if (k->trained)
        multiply_add(
            some_rows(head_of(k, gradient(k), t->s, k_head), 0, t->seen),
            transposed(dp), t->q);
}

/* A call, forward or on the way back. */
typedef struct Way {
    Node *c;
    Plan plan;
    int groups;
    void (*visit)(Node *c, const Strip *t);
} Way;

/* Every strip of a group of heads. */
static void
each_strip(void *way, int piece, int worker)
{
    const Way *w = way;
    int s = piece / w->groups, each = w->c->heads / w->groups;
    for (int i = 0, h = piece % w->groups * each; i < each; i++, h++)
        for (int first = 0; first < w->plan.tokens; first += w->plan.rows) {
            Strip t = strip_of(w->c, &w->plan, s, h, first, worker);
            if (first == 0 && t.of_row) {
                copy_blocks(&t.k);
                copy_blocks(&t.v);
            }
            w->visit(w->c, &t);
        }
}

static void
go(Node *c, void (*visit)(Node *c, const Strip *t))
{
    Way w = {c, plan_of(c->in[0], c->in[1], c->in[2]),
             head_groups(c->in[1], c->in[2]), visit};
    share_out(c->sequences * w.groups, each_strip, &w);
}

static void
attend_backward(Node *c)
{
    for (int i = 0; i < 3; i++)
        if (c->in[i]->trained)
            gradient(c->in[i]); /* zeroed before many add to it */
    go(c, strip_backward);
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
    keep_arguments(c, &(Arguments){scale, a->causal}, sizeof(Arguments));
    c->flops[0] = to_score + to_weigh;
    c->flops[1] = to_score * (q->trained + k->trained) +
                  to_weigh * ((q->trained || k->trained) + v->trained);
    Plan plan = plan_of(q, k, v);
    c->kept = keep(c, plan.kept + (size_t)threads_count() * plan.room);
    if (c->value)
        go(c, strip_forward);
    if (a->recording)
        record_call(a->recording, (Call){q, k, v, c, scale, a->causal, 0});
    return c;
}
