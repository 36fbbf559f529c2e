/* derive.c - the canonical form of a variant, derived from its code.

   A node knows its operator and its operands. A walk starts from the output,
   and puts each matrix that it meets before those it met earlier, until it
   reaches tokens: then a product is complete. At a sum, it splits in two. An
   operator that is no such product is put into the chain, to be named. */
#include <math.h>
#include <string.h>

#include "algebra/derive.h"
#include "algebra/fit.h"
#include "algebra/meaning.h"
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

const Term *
term_of(const Derived *d, int head, int piece, int number)
{
    for (const Term *t = d->term; t && t < d->term + d->count; t++)
        if (t->head == head && t->piece == piece && t->number == number)
            return t;
    return NULL;
}

int
rank_bound(const Derived *d, int head, int piece)
{
    int rank = 0, number = 0;
    const Term *t = term_of(d, head, piece, number);
    while (t) {
        rank += t->width;
        number++;
        t = term_of(d, head, piece, number);
    }
    return rank;
}

/* Do two nodes play the same part in two heads? They do if they are one node,
   have the same operator, or are matrices whose names differ only in a number,
   "W_1^Q" and "W_2^Q". */
static bool
alike(const Node *a, const Node *b)
{
    static const char digits[] = "0123456789";
    if (a == b || a->op || b->op)
        return a->op == b->op;
    const char *p = a->arguments, *q = b->arguments;
    size_t before = strcspn(p, digits);
    if (a->rows != b->rows || a->cols != b->cols || !p[before] ||
        strncmp(p, q, before) || !strspn(q + before, digits))
        return false;
    p += before + strspn(p + before, digits);
    q += before + strspn(q + before, digits);
    return !strcmp(p, q);
}

const Symbol *
symbol_of(const Derived *d, int head, const Symbol *s)
{
    const Term *t = term_of(d, head, s->piece, s->number);
    if (!t || s->place >= t->chain[s->side].count)
        return NULL;
    const Symbol *there = &t->chain[s->side].of[s->place];
    return alike(s->of, there->of) ? there : NULL;
}

/* Is `other`, which may be NULL, the same term as t, except for the columns of
   its matrices? */
static bool
term_alike(const Derived *d, const Term *t, const Term *other)
{
    if (!other || other->factor != t->factor)
        return false;
    for (int side = 0; side < 2; side++) {
        const Chain *c = &t->chain[side];
        if (c->count != other->chain[side].count)
            return false;
        for (int i = 0; i < c->count; i++) {
            const Symbol *s = symbol_of(d, other->head, &c->of[i]);
            if (!s || s->m.rows != c->of[i].m.rows ||
                s->m.cols != c->of[i].m.cols)
                return false;
        }
    }
    return true;
}

bool
heads_alike(const Derived *d)
{
    int in_first = 0; /* terms of head 0 */
    for (const Term *t = d->term; t && t < d->term + d->count; t++) {
        if (t->head != 0)
            continue;
        in_first++;
        for (int head = 1; head < d->heads; head++)
            if (!term_alike(d, t, term_of(d, head, t->piece, t->number)))
                return false;
    }
    return d->heads < 1 || in_first * d->heads == d->count;
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

/* Ends a chain at tokens or at a row of weights. A bias of keys is left out: it
   adds the same to all scores of a row, which the softmax ignores. After the
   queries, the walk continues in the keys. */
static void
walk_leaf(const Node *c, Walk w)
{
    Derived *d = w.to;
    if (w.nested > 0) {
        w.nested--;
        walk(w.before[w.nested], pass_matrix(c, false, w));
        return;
    }
    Chain *chain = &w.term.chain[w.role == 'k'];
    Matrix part = chain->of[chain->count - 1].m;
    bool tokens = c == d->run.x || c == d->run.y;
    bool whole = part.rows == part.cols;
    if (w.term.piece == CONSTANT && tokens && !d->why)
        d->why = "it adds the tokens themselves, outside attention";
    if (w.role == 'k' && !whole && part.cols > d->run.x->cols)
        d->why = "its keys are joined from other parts than its queries, and "
                 "are wider than tokens";
    if (whole || w.role == 'q')
        chain->count--;
    if (tokens)
        chain->tokens = c->arguments;
    else if (w.role == 'k')
        return;
    else if (w.term.piece != CONSTANT)
        w.term.piece++; /* its bias */
    if (!tokens || w.width < c->cols) {
        int rows = tokens ? c->cols : 1;
        w = times(c, matrix(c->value + w.from, rows, w.width, c->cols), w);
    }
    if (w.role == 'q')
        walk_keys(part, w);
    else
        add_term(d, w.term);
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
    return !n->op && n != d->run.x && n != d->run.y;
}

/* Is n computed from weights only? */
static bool
of_weights(const Derived *d, const Node *n)
{
    bool all = n->op || is_weights(d, n);
    for (int i = 0; all && i < n->inputs; i++)
        all = of_weights(d, n->in[i]->root);
    return all;
}

/* How a walk passes a node: as the table in meaning.c says, if its operands
   allow it; otherwise it is opaque. */
static Passage
passage_of(const Node *c, const Walk *w)
{
    Passage as = meaning_of(c)->passage;
    const Node *first = as == LEAF ? c : c->in[0]->root;
    const Node *last = as == LEAF ? c : c->in[c->inputs - 1]->root;
    int width = c->cols / c->heads;
    bool passes = true;
    if (as == TIMES)
        passes = of_weights(w->to, last) && w->nested < MOST_SYMBOLS;
    else if (as == TIMES_TURNED)
        passes = is_weights(w->to, last);
    else if (as == GAIN)
        passes = row_of(last, width);
    else if (as == REPEATED)
        passes = row_of(c, width);
    else if (as == WEIGHTED)
        passes = w->call && w->term.piece == CONSTANT &&
                 first->op == &softmax_op && first->inputs == 1 &&
                 sink_of(first, 0) == -INFINITY;
    return passes ? as : OPAQUE;
}

/* Multiplies by the diagonal matrix of a row of gains, of which the head at
   hand has those from column `start` on. */
static Walk
pass_gain(const Node *row, int start, Walk w)
{
    return times(row->root, diagonal(row, start + w.from, w.width), w);
}

/* Continues a walk at head h of c, or, if c has its operands side by side, at
   its operand k. */
static void
walk_block(const Node *c, int h, int k, Walk w)
{
    Node *const *in = c->in;
    const Node *last = c->op ? in[c->inputs - 1]->root : NULL;
    int end = k; /* the walk continues from in[k .. end] */
    switch (passage_of(c, &w)) {
    case LEAF:
        walk_leaf(c, w);
        return;
    case TIMES:
        if (last->op) { /* B is computed from weights: A waits until B is done
                         */
            w.before[w.nested] = in[0];
            w.nested++;
            walk(in[1], w);
            return;
        }
        w = pass_matrix(last, false, w);
        break;
    case TIMES_TURNED:
        w = pass_matrix(last, true, w);
        break;
    case FACTOR:
        w.term.factor *= *(const double *)c->arguments;
        break;
    case SUM:
        end = 1;
        break;
    case COLUMNS:
        w.from += *(const int *)c->arguments;
        break;
    case SIDE_BY_SIDE:
    case REPEATED:
        break;
    case GAIN:
        w = pass_gain(last->in[0], start_of(last->in[0], h, c), w);
        break;
    case WEIGHTED:
        if (in[0]->root != w.call->weights || h != w.own)
            return; /* another head, which has its own walk */
        w.term.piece = N_PIECE;
        k = 1;
        end = 1;
        break;
    case OPAQUE:
        w = times(c, matrix(w.to->run.x->value, w.width, w.width, 1), w);
        if (in[0]->cols != c->cols) { /* it may depend on all columns */
            h = 0;
            w.from = 0;
            w.width = in[0]->cols;
        }
        break;
    }
    for (; k <= end; k++) {
        Walk on = w;
        on.from += start_of(in[k], h, c);
        walk(in[k], on);
    }
}

/* Continues a walk at each head of n that has some of the columns; if a head
   has operands side by side, from each of these. */
static void
walk(const Node *n, Walk w)
{
    const Node *c = n->root;
    bool beside = meaning_of(c)->passage == SIDE_BY_SIDE;
    int blocks = beside ? c->inputs : 1, start = 0;
    for (int i = 0; start < w.from + w.width; i++) {
        const Node *block = beside ? c->in[i % blocks] : c;
        int size = block->cols / block->heads;
        Walk part = w;
        if (narrow(&part, start, size))
            walk_block(c, i / blocks, i % blocks, part);
        start += size;
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

static Matrix
new_matrix(int rows, int cols)
{
    real *entries = allocate((size_t)rows * cols, sizeof *entries);
    return matrix(entries, rows, cols, cols);
}

/* The product x m. Frees x. */
static Matrix
multiplied_by(Matrix x, Matrix m)
{
    Matrix product = new_matrix(x.rows, m.cols);
    multiply(product, x, m);
    free(x.at);
    return product;
}

Matrix
term_value(const Term *t, int rows)
{
    const Chain *q = &t->chain[0], *k = &t->chain[1];
    if (q->count)
        rows = q->of[0].m.rows;
    else if (k->count)
        rows = k->of[k->count - 1].m.cols;
    Matrix x = new_matrix(rows, rows);
    for (int i = 0; i < rows; i++)
        x.at[i * rows + i] = (real)t->factor;
    for (int i = 0; i < q->count; i++)
        x = multiplied_by(x, q->of[i].m);
    for (int i = k->count - 1; i >= 0; i--) /* (K_1 K_2)' = K_2' K_1' */
        x = multiplied_by(x, transposed(k->of[i].m));
    return x;
}

/* The derived form, as numbers. Every head has the constant: it is added only
   for one of them. */
static Canonical
derived_form(const Derived *d)
{
    int n = d->run.attention.d_model;
    Canonical c = {.d_model = n};
    canonical_allocate(&c, d->heads);
    for (const Term *t = d->term; t && t < d->term + d->count; t++) {
        int start = (d->heads - 1 - t->head) * c.size;
        double *const to[PIECES] = {[M_PIECE] = c.m + start,
                                    [M_ROW] = c.m + start + n * n,
                                    [N_PIECE] = c.n + start,
                                    [N_ROW] = c.constant,
                                    [CONSTANT] = c.constant};
        if (t->piece == CONSTANT && t->head > 0)
            continue;
        Matrix value = term_value(t, n);
        for (int i = 0; i < value.rows * n; i++)
            to[t->piece][i] += (double)value.at[i];
        free(value.at);
    }
    return c;
}

double
derived_apart(const Derived *d)
{
    const Alone *a = &d->run;
    Canonical derived = derived_form(d);
    Canonical probed = canonical_form(a->variant, a->attention, a->weights, 0);
    double apart = probed.m ? fit_error(&derived, &probed).apart : NAN;
    canonical_free(&derived);
    canonical_free(&probed);
    return apart;
}
