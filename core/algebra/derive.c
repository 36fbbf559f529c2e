/* derive.c - the canonical form of a variant, derived from its code.

   A node knows its operator and its operands. A walk starts from the output,
   and puts each matrix that it meets before those it met earlier, until it
   reaches tokens: then a product is complete. At a sum, it splits in two. An
   operator that is no such product is put into the chain, to be named. */
#include <math.h>
#include <string.h>

#include "algebra/derive.h"
#include "algebra/operator_table.h"
#include "config/settings.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "operators/biases.h"
#include "operators/steps.h"
#include "tasks/tasks.h"

/* A walk back from the output: the product so far, which is to be multiplied by
   columns from .. from + width - 1 of the next node. */
typedef struct Walk {
    Derived *to;
    const Call *call; /* the softmax of its head */
    int own;          /* the number of the head within that call */
    Term term;        /* the product so far */
    char role;        /* the chain that grows: q, k or v */
    int from, width;
    /* In a product A B whose B is itself computed from weights, the walk goes
       through B first. These are the nodes A at which it continues afterwards,
       the innermost last, and their number. */
    const Node *before[MOST_SYMBOLS];
    int nested;
} Walk;

static void walk(const Node *n, Walk w);

/* The first column of the head of n that head h of c is computed from. */
static int
start_of(const Node *n, int h, const Node *c)
{
    return h * n->heads / c->heads * (n->cols / n->heads);
}

static bool
is_tokens(const Derived *d, const Node *n)
{
    return n == d->run.x || n == d->run.y;
}

/* Puts a matrix before the product, or a node that is no matrix. */
static Walk
times(const Node *of, Matrix m, Walk w)
{
    Chain *c = &w.term.chain[w.role == 'k'];
    if (c->count == MOST_SYMBOLS) {
        w.to->why = "it multiplies more matrices than can be followed";
        return w;
    }
    if (of->op)
        w.to->why = "the operator in brackets is not a product with a matrix";
    memmove(c->of + 1, c->of, (size_t)c->count * sizeof *c->of);
    c->of[0] = (Symbol){.of = of, .m = m, .role = w.role};
    c->count++;
    return w;
}

/* Adds a complete term, as the last of its piece and head. */
static void
add_term(Derived *d, Term t)
{
    while (term_of(d, t.head, t.piece, t.number))
        t.number++;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < t.chain[side].count; i++) {
            Symbol *s = &t.chain[side].of[i];
            s->piece = t.piece;
            s->number = t.number;
            s->side = side;
            s->place = i;
        }
    d->term = grow(d->term, d->count, &d->capacity, sizeof t);
    d->term[d->count++] = t;
}

/* Begins a walk that needs w.width columns of n. The product begins as the
   identity matrix that derive() stores in the values of x, in w.width rows at
   least. It is narrowed like any other matrix, and since a narrowed part keeps
   its address, the part that is left at the end tells which of these columns
   the chain is for. */
static void
begin(const Node *n, Walk w)
{
    const Node *x = w.to->run.x;
    Matrix identity = matrix(x->value, w.width, w.width, x->cols);
    walk(n, times(x, transposed(identity), w));
}

/* Multiplies by the columns that the walk needs of a matrix; after that it
   needs all columns of the factor before the matrix. */
static Walk
pass_matrix(const Node *of, bool turned, Walk w)
{
    Matrix m = matrix(of->value, of->rows, of->cols, of->cols);
    m = turned ? transposed(m) : m;
    m.at += w.from * m.across;
    m.cols = w.width;
    w = times(of, m, w);
    w.from = 0;
    w.width = m.rows;
    return w;
}

/* Continues a walk in the keys. The queries of this walk are the columns `part`
   of x; it continues in the columns of the keys that these are multiplied with.
 */
static void
walk_keys(Matrix part, Walk w)
{
    w.role = 'k';
    w.from = start_of(w.call->k, w.own, w.call->q) +
             (int)(part.at - w.to->run.x->value);
    w.width = part.rows;
    begin(w.call->k, w);
}

/* Continues at A after B, of a product A B whose B is computed from weights:
   the walk through B has reached the matrix `leaf`, where B begins. */
static void
walk_factor_before(const Node *leaf, Walk w)
{
    w.nested--;
    walk(w.before[w.nested], pass_matrix(leaf, false, w));
}

/* Gives the reasons why a chain that ends at `leaf` has no form. `part` is the
   part of the identity that is left at the chain's other end. */
static void
check_end(const Node *leaf, Matrix part, const Walk *w)
{
    Derived *d = w->to;
    bool tokens = is_tokens(d, leaf);
    if (w->term.piece == CONSTANT && tokens && !d->why)
        d->why = "it adds the tokens themselves, outside attention";
    if (w->role == 'k' && part.rows < part.cols && part.cols > d->run.x->cols)
        d->why = "its keys are joined from other parts than its queries, and "
                 "are wider than tokens";
}

/* Removes the part of the identity, which begin() put at the end of the chain,
   if it changes nothing: it is the whole identity; or the chain belongs to the
   queries, and walk_keys() continues with the columns that this part picks. */
static void
drop_identity(Chain *c, Matrix part, char role)
{
    bool whole = part.rows == part.cols;
    if (whole || role == 'q')
        c->count--;
}

/* Ends a chain at tokens x or y: it begins with all their columns, or with a
   part of the identity, which picks some of them. */
static Walk
end_at_tokens(const Node *tokens, Walk w)
{
    w.term.chain[w.role == 'k'].tokens = tokens->arguments;
    if (w.width == tokens->cols)
        return w;
    const real *from = tokens->value + w.from; /* the tokens are unit vectors */
    Matrix some = matrix((real *)from, tokens->cols, w.width, tokens->cols);
    return times(tokens, some, w);
}

/* Ends a chain at a row of weights, a bias. It belongs to the last row of its
   piece. */
static Walk
end_at_row(const Node *row, Walk w)
{
    if (w.term.piece != CONSTANT)
        w.term.piece++; /* M_PIECE to M_ROW, or N_PIECE to N_ROW */
    return times(row, matrix(row->value + w.from, 1, w.width, row->cols), w);
}

/* Ends a chain at tokens or at a row of weights. After the queries, the walk
   continues in the keys. A bias of keys is left out: it adds the same number to
   all scores of a row, which the softmax ignores. */
static void
walk_leaf(const Node *leaf, Walk w)
{
    if (w.nested > 0) {
        walk_factor_before(leaf, w);
        return;
    }
    bool tokens = is_tokens(w.to, leaf);
    Chain *chain = &w.term.chain[w.role == 'k'];
    Matrix part = chain->of[chain->count - 1].m;
    check_end(leaf, part, &w);
    if (w.role == 'k' && !tokens)
        return;
    drop_identity(chain, part, w.role);
    w = tokens ? end_at_tokens(leaf, w) : end_at_row(leaf, w);
    if (w.role == 'q')
        walk_keys(part, w);
    else
        add_term(w.to, w.term);
}

/* The row of weights, as wide as a head, that n repeats for every token; or
   NULL. */
static const Node *
row_of(const Node *n, int width)
{
    const Node *row = meaning_of(n)->passage == REPEATED ? n->in[0] : NULL;
    bool fits = row && row->rows == 1 && row->cols / row->heads == width;
    return fits && !row->root->op ? row : NULL;
}

/* `count` gains of a row as a diagonal matrix, which is kept with the row. */
static Matrix
diagonal(const Node *row, int from, int count)
{
    int n = row->cols;
    Node *root = row->root;
    if (!root->kept)
        root->kept = keep(root, (size_t)n * n);
    real *all = root->kept;
    for (int e = 0; e < n * n; e++)
        all[e] = e / n == e % n ? row->value[e / n] : 0;
    return matrix(all + from * (n + 1), count, count, n);
}

/* Narrows a walk to the columns that it shares with the `size` columns from
   `start` on, and counts them from there; returns false if it shares none. The
   first symbol of the chain keeps only its rows for these columns. */
static bool
narrow(Walk *w, int start, int size)
{
    Matrix *first = &w->term.chain[w->role == 'k'].of[0].m;
    int skipped = start > w->from ? start - w->from : 0; /* before `start` */
    w->from += skipped - start;
    w->width -= skipped;
    if (w->width > size - w->from)
        w->width = size - w->from;
    if (w->width < w->term.width)
        w->term.width = w->width;
    first->at += skipped * first->down;
    first->rows = w->width;
    return w->width > 0;
}

/* Is n a matrix, or row, of weights? */
static bool
is_weights(const Derived *d, const Node *n)
{
    return !n->op && !is_tokens(d, n);
}

/* Is n computed from weights only? */
static bool
from_weights(const Derived *d, const Node *n)
{
    if (!n->op)
        return is_weights(d, n);
    for (int i = 0; i < n->inputs; i++)
        if (!from_weights(d, n->in[i]->root))
            return false;
    return true;
}

/* Is n the softmax of scores only, with neither a sink nor other inputs? */
static bool
plain_softmax(const Node *n)
{
    return n->op == &softmax_op && n->inputs == 1 && sink_of(n, 0) == -INFINITY;
}

/* Do the operands of c allow a walk to pass it as operator_table.c says? */
static bool
can_pass(const Node *c, Passage as, const Walk *w)
{
    int width = c->cols / c->heads;
    const Node *last = c->op ? c->in[c->inputs - 1]->root : NULL;
    switch (as) {
    case TIMES:
        return from_weights(w->to, last) && w->nested < MOST_SYMBOLS;
    case TIMES_TURNED:
        return is_weights(w->to, last);
    case GAIN:
        return row_of(last, width) != NULL;
    case REPEATED:
        return row_of(c, width) != NULL;
    case WEIGHTED:
        return w->call && w->term.piece == CONSTANT &&
               plain_softmax(c->in[0]->root);
    default:
        return true;
    }
}

static Passage
passage_of(const Node *c, const Walk *w)
{
    Passage as = meaning_of(c)->passage;
    return can_pass(c, as, w) ? as : OPAQUE;
}

/* Multiplies by the diagonal matrix of a row of gains, of which the head at
   hand has those from column `start` on. */
static Walk
pass_gain(const Node *row, int start, Walk w)
{
    return times(row->root, diagonal(row, start + w.from, w.width), w);
}

/* Continues a walk, which is at head h of c, at operand k of c. */
static void
walk_operand(const Node *c, int h, int k, Walk w)
{
    w.from += start_of(c->in[k], h, c);
    walk(c->in[k], w);
}

/* Passes C = A B. If B is itself computed from weights, A waits until the walk
   through B is done. */
static void
walk_product(const Node *c, int h, Walk w)
{
    const Node *b = c->in[1];
    if (b->root->op) {
        w.before[w.nested] = c->in[0];
        w.nested++;
        walk(b, w);
    } else {
        walk_operand(c, h, 0, pass_matrix(b->root, false, w));
    }
}

/* Passes C_i = A_i B_i, if A_i are the weights of this walk's own head; every
   other head has its own walk. */
static void
walk_weighted(const Node *c, int h, Walk w)
{
    bool own = c->in[0]->root == w.call->weights && h == w.own;
    w.term.piece = N_PIECE;
    if (own)
        walk_operand(c, h, 1, w);
}

/* Names an operator that is no product in the chain, and continues before it.
   If it changes the number of columns, each may depend on all of its operand's.
 */
static void
walk_opaque(const Node *c, int h, Walk w)
{
    const Node *operand = c->in[0];
    w = times(c, matrix(w.to->run.x->value, w.width, w.width, 1), w);
    if (operand->cols == c->cols) {
        walk_operand(c, h, 0, w);
        return;
    }
    w.from = 0;
    w.width = operand->cols;
    walk(operand, w);
}

/* Continues a walk at head h of c. A node whose operands are side by side goes
   to walk_side_by_side() instead. */
static void
walk_head(const Node *c, int h, Walk w)
{
    const Node *last = c->op ? c->in[c->inputs - 1]->root : NULL;
    switch (passage_of(c, &w)) {
    case LEAF:
        walk_leaf(c, w);
        break;
    case TIMES:
        walk_product(c, h, w);
        break;
    case TIMES_TURNED:
        walk_operand(c, h, 0, pass_matrix(last, true, w));
        break;
    case FACTOR:
        w.term.factor *= *(const double *)c->arguments;
        walk_operand(c, h, 0, w);
        break;
    case SUM:
        walk_operand(c, h, 0, w);
        walk_operand(c, h, 1, w);
        break;
    case COLUMNS:
        w.from += *(const int *)c->arguments;
        walk_operand(c, h, 0, w);
        break;
    case REPEATED:
        walk_operand(c, h, 0, w);
        break;
    case GAIN:
        w = pass_gain(last->in[0], start_of(last->in[0], h, c), w);
        walk_operand(c, h, 0, w);
        break;
    case WEIGHTED:
        walk_weighted(c, h, w);
        break;
    case OPAQUE:
        walk_opaque(c, h, w);
        break;
    case SIDE_BY_SIDE: /* walk() calls walk_side_by_side() instead */
        break;
    }
}

/* Continues a walk in each operand of head h of c that has some of the columns:
   C_h = [A_h B_h ...]. */
static void
walk_side_by_side(const Node *c, int h, Walk w)
{
    int start = h * (c->cols / c->heads); /* the operand's first column in c */
    for (int k = 0; k < c->inputs; k++) {
        int width = c->in[k]->cols / c->in[k]->heads;
        Walk part = w;
        if (narrow(&part, start, width))
            walk_operand(c, h, k, part);
        start += width;
    }
}

/* Continues a walk at each head of n that has some of the columns. */
static void
walk(const Node *n, Walk w)
{
    const Node *c = n->root;
    bool side_by_side = meaning_of(c)->passage == SIDE_BY_SIDE;
    int width = c->cols / c->heads;
    for (int h = 0; h < c->heads; h++) {
        Walk part = w;
        if (side_by_side)
            walk_side_by_side(c, h, w);
        else if (narrow(&part, h * width, width))
            walk_head(c, h, part);
    }
}

/* scores = [x 1] M y' */
static void
derive_scores(Walk w)
{
    const Call *c = w.call;
    const Node *s = c->weights->in[0]->root;
    w.term.piece = M_PIECE;
    w.role = 'q';
    if (c->q) {
        Walk q = w;
        q.term.factor = c->scale;
        q.width = c->q->cols / c->q->heads;
        q.from = w.own * q.width;
        begin(c->q, q);
    }
    if (!c->q || s->op == &fixed_bias_op)
        add_term(w.to, times(s, (Matrix){0}, w).term);
}

/* The walk of head h, which begins at the output. */
static Walk
walk_of_head(Derived *d, int h)
{
    int n = d->run.out->cols;
    Walk w = {.to = d, .role = 'v', .width = n};
    w.term = (Term){.piece = CONSTANT, .head = h, .factor = 1, .width = n};
    return w;
}

/* out = constant + sum_i softmax(scores_i) [y 1] N_i. Without heads there is
   only the constant. */
static void
derive_heads(Derived *d)
{
    const Capture *r = &d->run.capture;
    d->heads = r->place[0].heads;
    for (int h = 0; h < d->heads; h++) {
        Walk w = walk_of_head(d, h);
        w.call = capture_head(r, 0, d->heads - 1 - h, &w.own);
        derive_scores(w);
        begin(d->run.out, w);
    }
    if (d->heads == 0)
        begin(d->run.out, walk_of_head(d, 0));
}

/* Runs forward once, on tokens that are rows of the identity, and walks back
   from its output. */
Derived
derive(const Variant *v, Attention a, Weights w)
{
    int n = a.d_model;
    a.causal = 0;
    a.relative = NULL;
    Derived d = {.run = {.variant = v, .attention = a, .weights = w}};
    if (v->calls != ANY_CALL) {
        d.why = "it is for self-attention only";
        return d;
    }
    real *identity = allocate((size_t)(n + 8) * n, sizeof *identity);
    for (int i = 0; i < n; i++)
        identity[i * n + i] = 1;
    run_alone(&d.run, identity, 5, identity, 7, EVERY_HEAD);
    derive_heads(&d);
    if (d.run.recalled)
        d.why = "it recalls what an earlier block computed";
    else if (d.run.capture.rotated)
        d.why = "queries and keys are rotated by their positions";
    else if (!d.heads)
        d.why = "it has no softmax";
    return d;
}

Derived
derive_at(const Variant *v, const char *shape, int layers)
{
    Config c = config_start();
    config_apply(&c, shape);
    config_resolve(&c, variant_uses(v));
    Attention a = attention_of(&c, v->shape);
    a.layers = layers;
    a.layer = layers - 1;
    Weights w = weights_declared(v, &a);
    Random random = random_stream(13, "derive");
    for (Weight *m = w.list; w.count && m < w.list + w.count; m++) {
        size_t size = matrix_entries(m->rows, m->cols);
        m->value = allocate(size, sizeof *m->value);
        for (size_t k = 0; k < size; k++)
            m->value[k] = (real)(random_normal(&random) / sqrt(m->rows));
    }
    return derive(v, a, w);
}

void
derived_free(Derived *d)
{
    if (d->run.x)
        free(d->run.x->value);
    free(d->term);
    tape_free(d->run.tape);
}
