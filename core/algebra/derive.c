/* derive.c - the canonical form of a variant, derived from its code.

   Each node of a forward pass knows its operator and its operands. A walk goes
   from the output, and from the queries and keys of the scores, back to the
   operands. At each product with a matrix of weights, it puts that matrix
   before the earlier ones. At tokens or a bias the product is complete: it is a
   term of the form. At a sum the walk splits in two. An operator that it cannot
   pass enters the product by name, and the variant has no form.

   terms.h explains term, piece, chain, side and symbol. The passage of a node C
   says how it follows from its operands A and B (operator_table.h); a walk
   passes C if it can continue at them. A view has a root, whose entries it
   shows; any other node is its own root. */
#include <math.h>
#include <string.h>

#include "algebra/derive.h"
#include "algebra/operator_table.h"
#include "config/settings.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "operators/biases.h"
#include "operators/scores_and_softmax.h"
#include "tasks/tasks.h"

/* A walk is passed by value: at a sum, each operand continues with a copy of
   the product. */
typedef struct Walk {
    Derived *to;        /* the form that its terms are added to */
    const Call *call;   /* the call that the walk is in; NULL before one */
    int own;            /* the number of the head within that call */
    const Node *scores; /* in M_i: the node that multiplies queries, in[A], with
                           keys, in[B] */
    Term term;          /* the product so far */
    int side;           /* the chain that is being built: Q_SIDE or K_SIDE */
    char role; /* the chain makes 'q' queries, 'k' keys, or 'v' the output */
    Span made; /* the columns, of the node where it began, that it makes */
    /* The product is to be multiplied, from the left, by the columns from ..
       from + width - 1 of the next node: these columns are needed. */
    int from, width;
    /* If the B of a product A B is computed from weights, the walk goes through
       B first. Until it is through, A waits here; `nested` nodes wait. */
    const Node *waiting[MOST_SYMBOLS];
    int nested;
} Walk;

/* The operands of a node C are C->in[A] and C->in[B]. */
enum { A, B };

static void walk(const Node *n, Walk w);

/* Head h of node c is computed from one head of its operand n, which may have
   fewer heads than c. Returns the first column of that head in n. */
static int
start_of(const Node *n, int h, const Node *c)
{
    int width = n->cols / n->heads, head_of_n = h * n->heads / c->heads;
    return head_of_n * width;
}

/* Inserts the matrix m, a part of `node`, into the chain that is being built,
   at this place. If the chain is full, sets `why` instead. */
enum { FIRST_PLACE = 0 };
static void
insert_symbol(Walk *w, int place, const Node *node, Matrix m)
{
    Chain *c = &w->term.chain[w->side];
    if (c->count == MOST_SYMBOLS) {
        w->to->why = "it multiplies too many matrices in a row";
        return;
    }
    Symbol *slot = &c->symbol[place];
    memmove(slot + 1, slot, (size_t)(c->count - place) * sizeof *slot);
    *slot = (Symbol){.node = node, .m = m, .role = w->role};
    c->count++;
}

/* Puts the matrix m, a part of `node`, before the product. */
static Walk
put_before(const Node *node, Matrix m, Walk w)
{
    insert_symbol(&w, FIRST_PLACE, node, m);
    return w;
}

/* Puts the operator of n before the product, to be printed as its name in
   brackets, and sets `why`. Its matrix has the right width and no meaning. */
static Walk
name_operator(const Node *n, Walk w)
{
    Matrix any = matrix(w.to->run.x->value, w.width, w.width, w.width);
    w.to->why = "the operator in brackets is not a product with one of the "
                "variant's matrices";
    return put_before(n, any, w);
}

/* Adds a complete term, as the last of its piece and head, and notes in each of
   its symbols where the symbol is. */
static void
add_term(Derived *d, Term t)
{
    while (term_of(d, t.head, t.piece, t.number)) /* this number is taken */
        t.number++;
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < t.chain[side].count; i++) {
            Symbol *s = &t.chain[side].symbol[i];
            s->piece = t.piece;
            s->number = t.number;
            s->side = side;
            s->place = i;
        }
    d->term = grow(d->term, d->count, &d->capacity, sizeof t);
    d->term[d->count] = t;
    d->count++;
}

/* Begins a chain that makes the columns w.from .. w.from + w.width - 1 of n.
   keep_columns may leave fewer of them to this walk. */
static void
begin_chain(const Node *n, Walk w)
{
    w.made = (Span){.first = 0, .count = w.width, .all = w.width};
    walk(n, w);
}

/* Passes a product A m, for the matrix m, a part of the leaf `node`: puts the
   needed columns of m before the product. Then all columns of A are needed, one
   for each row of m. */
static Walk
pass_matrix(const Node *node, Matrix m, Walk w)
{
    m.at += w.from * m.across;
    m.cols = w.width;
    w = put_before(node, m, w);
    w.from = 0;
    w.width = m.rows;
    return w;
}

/* The queries of a term are complete: they are columns w.made of the head's
   queries. q k' multiplies them by the same columns of the head's keys, so the
   walk continues there. */
static void
walk_keys(Walk w)
{
    const Node *keys = w.scores->in[B];
    w.side = K_SIDE;
    w.role = 'k';
    w.from = start_of(keys, w.own, w.scores) + w.made.first;
    w.width = w.made.count;
    begin_chain(keys, w);
}

/* If a complete chain makes only some columns, w->made, of the node where it
   began, adds a last matrix that puts them in their places: these rows of the
   identity, whose entries x has. */
static void
place_columns(Walk *w)
{
    const Node *x = w->to->run.x;
    Span made = w->made;
    if (made.count == made.all)
        return;
    if (made.all > x->cols) { /* x has too few columns */
        w->to->why = "its keys are concatenated from other widths than its "
                     "queries, and are wider than d_model";
        return;
    }
    Matrix rows = transposed(matrix(x->value, made.all, made.all, x->cols));
    rows.at += made.first * rows.down;
    rows.rows = made.count;
    insert_symbol(w, w->term.chain[w->side].count, x, rows);
}

/* Ends a chain at the tokens x or y, whose entries are the identity (derive).
   If only some columns are needed, these are its first matrix. */
static Walk
end_at_tokens(const Node *tokens, Walk w)
{
    if (w.term.piece == CONSTANT && !w.to->why) /* it passed no weighted sum */
        w.to->why = "its output depends on the tokens outside attention, too";
    w.term.chain[w.side].tokens = tokens->arguments; /* their name */
    if (w.width == tokens->cols)
        return w;
    const real *from = tokens->value + w.from;
    Matrix some = matrix(from, tokens->cols, w.width, tokens->cols);
    return put_before(tokens, some, w);
}

/* Ends a chain at a row of weights, a bias, which makes it a term of the last
   row of M_i or N_i, or of the constant. */
static Walk
end_at_row(const Node *row, Walk w)
{
    if (w.term.piece == M_PIECE)
        w.term.piece = M_ROW;
    if (w.term.piece == N_PIECE)
        w.term.piece = N_ROW;
    const int one_row = 1;
    const real *first = row->value + w.from;
    return put_before(row, matrix(first, one_row, w.width, row->cols), w);
}

/* Passes a leaf, which is tokens or weights. */
static void
walk_leaf(const Node *leaf, Walk w)
{
    bool tokens = is_tokens(w.to, leaf);
    if (w.nested > 0) { /* it is the first matrix of the B of a product A B */
        const Node *a = w.waiting[w.nested - 1];
        w.nested--;
        walk(a, pass_matrix(leaf, weights_of(w.to, leaf).m, w));
        return;
    }
    if (w.role == 'k' && !tokens) /* a bias of keys, which the softmax ignores:
                                     it adds one number to a row of scores */
        return;
    w = tokens ? end_at_tokens(leaf, w) : end_at_row(leaf, w);
    if (w.role == 'q') { /* the term lacks its keys */
        walk_keys(w);
        return;
    }
    place_columns(&w);
    add_term(w.to, w.term);
}

/* The row of weights that n repeats for every token; NULL if n repeats anything
   else, or if a head of the row is not `width` columns wide. */
static const Node *
repeated_row(const Node *n, int width)
{
    if (meaning_of(n)->passage != REPEATED)
        return NULL;
    const Node *row = n->in[A];
    bool fits = row->rows == 1 && row->cols / row->heads == width;
    bool is_leaf = !row->root->op;
    return fits && is_leaf ? row : NULL;
}

/* Of the needed columns, keeps those among the columns start .. start + size -
   1 of the node; w->from then counts from `start`. Returns whether any are
   left; if none are, the walk ends, and *w has no meaning. */
static bool
keep_columns(Walk *w, int start, int size)
{
    Chain *c = &w->term.chain[w->side];
    int first_kept = start > w->from ? start : w->from;
    int end_needed = w->from + w->width, end_here = start + size;
    int end_kept = end_needed < end_here ? end_needed : end_here;
    int skipped = first_kept - w->from;
    w->from = first_kept - start;
    w->width = end_kept - first_kept;
    if (w->width < w->term.width)
        w->term.width = w->width;
    if (c->count > 0) { /* its first matrix loses the rows of other columns */
        Matrix *first = &c->symbol[0].m;
        first->at += skipped * first->down;
        first->rows = w->width;
    } else { /* an empty chain makes fewer columns */
        w->made.first += skipped;
        w->made.count = w->width;
    }
    return w->width > 0;
}

/* Is the root n computed only from weights? A leaf has no operator. */
static bool
from_weights(const Derived *d, const Node *n)
{
    if (!n->op)
        return !is_tokens(d, n);
    for (int i = 0; i < n->inputs; i++)
        if (!from_weights(d, n->in[i]->root))
            return false;
    return true;
}

/* Returns whether the operands of c allow this passage. */
static bool
can_pass(const Node *c, Passage passage, const Walk *w)
{
    int width = c->cols / c->heads;
    switch (passage) {
    case TIMES:
        return from_weights(w->to, c->in[B]->root) && w->nested < MOST_SYMBOLS;
    case TIMES_TURNED:
        return weights_of(w->to, c->in[B]->root).node != NULL;
    case GAIN:
        return repeated_row(c->in[B]->root, width) != NULL;
    case REPEATED:
        return repeated_row(c, width) != NULL;
    case WEIGHTED: /* only one in a walk: before it, the piece is CONSTANT */
        return w->call && w->term.piece == CONSTANT &&
               c->in[A]->root->op == &softmax_op; /* without sinks */
    default:
        return true;
    }
}

/* Continues a walk, which is at head h of c, at operand number `operand`. */
static void
walk_operand(const Node *c, int h, int operand, Walk w)
{
    w.from += start_of(c->in[operand], h, c);
    walk(c->in[operand], w);
}

/* Passes C = A B. If B is computed from weights, but is not a matrix of weights
   itself, A waits until the walk is through B (walk_leaf). */
static void
walk_product(const Node *c, int h, Walk w)
{
    Symbol b = weights_of(w.to, c->in[B]->root);
    if (b.node) { /* B is a matrix of weights, or columns of one */
        walk_operand(c, h, A, pass_matrix(b.node, b.m, w));
        return;
    }
    w.waiting[w.nested] = c->in[A];
    w.nested++;
    walk(c->in[B], w);
}

/* Passes C = A B', if B is a matrix of weights, or columns of one. */
static void
walk_transposed(const Node *c, int h, Walk w)
{
    Symbol b = weights_of(w.to, c->in[B]->root);
    walk_operand(c, h, A, pass_matrix(b.node, transposed(b.m), w));
}

/* Passes C = A . B, for a B that repeats a row of gains, as the product of A
   with the diagonal matrix of the gains of the needed columns. */
static void
walk_gain(const Node *c, int h, Walk w)
{
    const Node *repeated = c->in[B]->root, *row = repeated->in[A];
    int first = start_of(row, h, c) + w.from; /* among all gains of the row */
    w = put_before(row->root, gains_matrix(row, first, w.width), w);
    walk_operand(c, h, A, w);
}

/* Passes C_h = A_h B_h if A_h is the attention weights of the walk's head. If
   it is not, the walk ends here: every other head has its own walk. */
static void
walk_weighted(const Node *c, int h, Walk w)
{
    bool own = c->in[A]->root == w.call->weights && h == w.own;
    if (!own)
        return;
    w.term.piece = N_PIECE; /* from here on */
    walk_operand(c, h, B, w);
}

/* Names an operator that the walk cannot pass, and continues at its first
   operand. If the operator changes the number of columns, each column may
   depend on all columns of the operand. */
static void
walk_opaque(const Node *c, int h, Walk w)
{
    const Node *operand = c->in[A];
    w = name_operator(c, w);
    if (operand->cols == c->cols) {
        walk_operand(c, h, A, w);
        return;
    }
    w.from = 0;
    w.width = operand->cols;
    walk(operand, w);
}

/* Passes C_h = [A_h B_h ...]: continues at each operand that has some of the
   needed columns. */
static void
walk_side_by_side(const Node *c, int h, Walk w)
{
    int start = 0; /* the first column of operand k in C_h */
    for (int k = 0; k < c->inputs; k++) {
        int width = c->in[k]->cols / c->in[k]->heads;
        Walk inside = w;
        if (keep_columns(&inside, start, width))
            walk_operand(c, h, k, inside);
        start += width;
    }
}

/* Passes head h of c; w.from counts from the first column of that head. If the
   operands do not allow the operator's passage, the operator is opaque. */
static void
walk_head(const Node *c, int h, Walk w)
{
    Passage passage = meaning_of(c)->passage;
    switch (can_pass(c, passage, &w) ? passage : OPAQUE) {
    case LEAF:
        walk_leaf(c, w);
        break;
    case TIMES:
        walk_product(c, h, w);
        break;
    case TIMES_TURNED:
        walk_transposed(c, h, w);
        break;
    case REPEATED:
        walk_operand(c, h, A, w);
        break;
    case FACTOR:
        w.term.factor *= *(const double *)c->arguments;
        walk_operand(c, h, A, w);
        break;
    case SUM:
        walk_operand(c, h, A, w);
        walk_operand(c, h, B, w);
        break;
    case SIDE_BY_SIDE:
        walk_side_by_side(c, h, w);
        break;
    case COLUMNS:
        w.from += *(const int *)c->arguments;
        walk_operand(c, h, A, w);
        break;
    case GAIN:
        walk_gain(c, h, w);
        break;
    case WEIGHTED:
        walk_weighted(c, h, w);
        break;
    case OPAQUE:
        walk_opaque(c, h, w);
        break;
    }
}

/* Continues a walk at each head that has some of the needed columns. A view n
   and its root have the same columns, but may differ in the number of heads. */
static void
walk(const Node *n, Walk w)
{
    const Node *c = n->root;
    int width = c->cols / c->heads;
    for (int h = 0; h < c->heads; h++) {
        Walk inside = w;
        if (keep_columns(&inside, h * width, width))
            walk_head(c, h, inside);
    }
}

/* Begins the chain of queries of one head, w.own, in the scores Q K'. */
static void
walk_queries(const Node *scores, Walk w)
{
    const Node *queries = scores->in[A];
    w.scores = scores;
    w.width = queries->cols / queries->heads;
    w.from = w.own * w.width;
    begin_chain(queries, w);
}

/* Returns whether the scores n have a form if their operands have one: a
   multiple of scores, a sum, or scores that heads share, not rows or columns
   that are repeated. */
static bool
preserves_form(const Node *n)
{
    const Node *a = n->in[A];
    Passage passage = meaning_of(n)->passage;
    bool same_size =
        a->rows == n->rows && a->cols / a->heads == n->cols / n->heads;
    return passage == FACTOR || passage == SUM ||
           (passage == REPEATED && same_size);
}

/* Derives the terms of M_i from the scores n = [x 1] M_i y' of head w.own. An
   operator that destroys the form is named. */
static void
walk_scores(const Node *n, Walk w)
{
    if (n->op == &scores_op.op) {
        walk_queries(n, w);
        return;
    }
    bool preserved = preserves_form(n);
    /* The scores to which a bias by position is added are printed, too. */
    int walked = preserved || n->op == &fixed_bias_op ? n->inputs : 0;
    if (meaning_of(n)->passage == FACTOR)
        w.term.factor *= *(const double *)n->arguments;
    for (int k = 0; k < walked; k++) {
        Walk operand = w;
        /* the operand may have fewer heads */
        operand.own = w.own * n->in[k]->heads / n->heads;
        walk_scores(n->in[k]->root, operand);
    }
    if (!preserved)
        add_term(w.to, name_operator(n, w).term);
}

/* A new walk for head h, from the output: its piece is CONSTANT until it passes
   the weighted sum of the head. */
static Walk
walk_of_head(Derived *d, int h)
{
    int n = d->run.out->cols;
    Walk w = {.to = d, .role = 'v', .width = n};
    w.term = (Term){.piece = CONSTANT, .head = h, .factor = 1, .width = n};
    return w;
}

/* Derives all terms of out = constant + sum_i softmax(scores_i) [y 1] N_i. For
   each head, the walk from the output yields N_i and the constant, which every
   head repeats; the walk from the scores yields M_i. Head 0 is the variant's
   last (Term.head). Without heads there is only the constant. */
static void
derive_heads(Derived *d)
{
    const Capture *r = &d->run.capture;
    d->heads = r->place[ONLY_PLACE].heads;
    for (int h = 0; h < d->heads; h++) {
        int head_of_variant = d->heads - 1 - h;
        Walk from_output = walk_of_head(d, h);
        from_output.call =
            capture_head(r, ONLY_PLACE, head_of_variant, &from_output.own);
        Walk from_scores = from_output;
        from_scores.role = 'q';
        from_scores.term.piece = M_PIECE;
        walk_scores(from_output.call->weights->in[A]->root, from_scores);
        begin_chain(d->run.out, from_output);
    }
    const int no_head = 0;
    if (d->heads == 0)
        begin_chain(d->run.out, walk_of_head(d, no_head));
}

/* The number of tokens of x and of y in the forward pass. The two numbers
   differ, so that no operator can confuse x and y. */
enum { X_TOKENS = 5, Y_TOKENS = 7 };

/* Runs forward once, on tokens that are rows of the identity, and walks back
   from its output. The form has neither a mask nor the positions that a model
   puts into the scores, so both are switched off. The whole identity, with
   d_model rows, is stored at x and y, because the chains have parts of it. */
Derived
derive(const Variant *v, Attention a, Weights w)
{
    int n = a.d_model, rows = n > Y_TOKENS ? n : Y_TOKENS;
    a.causal = 0;
    a.relative = NULL; /* no rope, no bias by position */
    Derived d = {.run = {.variant = v, .attention = a, .weights = w}};
    if (v->calls != ANY_CALL) { /* it restricts x and y */
        d.why = "it is for self-attention only";
        return d;
    }
    real *identity = allocate((size_t)rows * n, sizeof *identity);
    for (int i = 0; i < n; i++)
        identity[i * n + i] = 1;
    run_block(&d.run, identity, X_TOKENS, identity, Y_TOKENS, EVERY_HEAD);
    derive_heads(&d);
    if (d.run.recalled)
        d.why = "it recalls what an earlier block computed";
    else if (d.run.capture.rotated)
        d.why = "queries and keys are rotated by their positions";
    else if (d.heads == 0)
        d.why = "it has no softmax";
    return d;
}

/* Makes the weights of v at a, with random entries. Variants that declare the
   same shapes in the same order get the same entries. */
static Weights
random_weights(const Variant *v, const Attention *a)
{
    Weights w = weights_declared(v, a);
    Random random = random_stream(13, "derive");
    for (int i = 0; i < w.count; i++) {
        Weight *m = &w.list[i];
        m->value = allocate(entries_of(m), sizeof *m->value);
        for (size_t k = 0; k < entries_of(m); k++)
            m->value[k] = (real)(random_normal(&random) / sqrt(m->rows));
    }
    return w;
}

Derived
derive_at(const Variant *v, const char *shape, int layers)
{
    Config c = config_start();
    config_apply(&c, shape);
    config_resolve(&c, variant_uses(v));
    Attention a = attention_of(&c, v->shape);
    a.layers = layers;
    a.layer = layers - 1; /* the last, counted from 0 */
    return derive(v, a, random_weights(v, &a));
}

void
derived_free(Derived *d)
{
    if (d->run.x) /* x and y have the same entries; none if nothing was run */
        free(d->run.x->value);
    free(d->term);
    tape_free(d->run.tape);
}
