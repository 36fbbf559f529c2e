/* gauge.c - how far training moves along directions that change nothing. */
#include <string.h>

#include "algebra/derive.h"
#include "heart/attention_operands.h"
#include "watch/gauge.h"

/* Products of W, a matrix of a pair before the step, and of D, its change in
   the step: W'W, W'D and D'D. Each is k x k. */
typedef struct Products {
    double *ww, *wd, *dd; /* one block of memory; the caller frees ww */
} Products;

/* The products for w (n x k), a view of the weights of m, which are those after
   the step. `before` has all weights of m before the step. */
static Products
products_of(Matrix w, const Model *m, const real *before)
{
    int k = w.cols, n = w.rows, square = k * k, entries = k * n;
    int numbers = 3 * square + 2 * entries; /* of the products, W' and D' */
    double *ww = allocate((size_t)numbers, sizeof *ww);
    Products p = {.ww = ww, .wd = ww + square, .dd = ww + 2 * square};
    double *old = p.dd + square, *change = old + entries; /* W', D' (k x n) */
    for (int column = 0; column < k; column++)
        for (int row = 0; row < n; row++) {
            const real *now = w.at + row * w.down + column * w.across;
            ptrdiff_t index = now - m->values; /* also its index in `before` */
            int transposed = column * n + row; /* its index in W' and D' */
            old[transposed] = (double)before[index];
            change[transposed] = (double)*now - old[transposed];
        }
    product_with_transposed(p.ww, old, old, k, n, k);
    product_with_transposed(p.wd, old, change, k, n, k);
    product_with_transposed(p.dd, change, change, k, n, k);
    return p;
}

void
add_product(double *c, const double *a, const double *b, int rows, int cols)
{
    for (int i = 0; i < cols * cols; i++) {
        int row = i / cols, column = i % cols; /* of the entry in c */
        for (int n = 0; n < rows; n++)
            c[i] += a[n * cols + row] * b[n * cols + column];
    }
}

/* Let Q'Q = U diag(a) U' and K'K = V diag(b) V', and in these bases Y = U' X V
   and D = U' C V. Then Q'Q X + X K'K = C is a_i Y_ij + Y_ij b_j = D_ij, and is
   solved entry by entry: Y_ij = D_ij / (a_i + b_j). The squared length of the
   part along the gauge is the sum of X_ij C_ij, which equals the sum of Y_ij
   D_ij. Here b->u is V, since K'K is symmetric. */
double
along_gauge(double *x, const Svd *a, const Svd *b, const double *c,
            double *scratch)
{
    /* A divisor below this share of the largest one is only rounding. It counts
       as 0, and Y is 0 there. */
    const double rounding = 1e-12;
    int k = a->k, square = k * k;
    double *product = scratch, *y = scratch + square;
    double squared_length = 0, largest_divisor = a->s[0] + b->s[0];
    memset(product, 0, (size_t)square * sizeof *product);
    add_product(product, a->u, c, k, k);   /* U' C */
    product_of(y, product, b->u, k, k, k); /* D, which becomes Y */
    for (int e = 0; e < square; e++) {
        double d = y[e], divisor = a->s[e / k] + b->s[e % k];
        bool is_known = divisor > rounding * largest_divisor;
        y[e] = is_known ? d / divisor : 0;
        squared_length += y[e] * d;
    }
    product_of(product, a->u, y, k, k, k); /* U Y, then X = U Y V' */
    product_with_transposed(x, product, b->u, k, k, k);
    return squared_length;
}

/* The share of a random step of Q and K (n x k) that is along the gauge, on
   average: the number of dimensions of the gauge, divided by the 2 n k
   dimensions of the step. Each X (k x k) gives a direction (Q X, -K X') of the
   gauge. If k > n, Q and K have null spaces, and (k - n)^2 dimensions of X give
   the direction 0. */
static double
share_by_chance(int n, int k)
{
    double lost = k > n ? k - n : 0;
    return (k * k - lost * lost) / (2.0 * n * k);
}

/* Adds a head to `sum`. Its pair q and k are views of the weights of m after
   the step. The step changes each matrix W to W + D, so W'W changes by
   W'D + D'W + D'D, and Q'Q - K'K by the difference of two such sums. */
static void
add_head(GaugeMove *sum, Matrix q, Matrix k, const Model *m, const real *before)
{
    int n = q.cols, size = n * n; /* the entries of a product */
    Products a = products_of(q, m, before), b = products_of(k, m, before);
    /* The memory of C = Q' dQ - dK' K, X, and the scratch of along_gauge. */
    double *c = allocate((size_t)4 * size, sizeof *c);
    double *x = c + size, *scratch = x + size;
    for (int e = 0; e < size; e++) {
        int row = e / n, column = e % n;
        int transposed = column * n + row; /* the index of (column, row) */
        double conserved = a.ww[e] - b.ww[e];
        double change_of_q = a.wd[e] + a.wd[transposed] + a.dd[e];
        double change_of_k = b.wd[e] + b.wd[transposed] + b.dd[e];
        double change = change_of_q - change_of_k;
        sum->conserved += conserved * conserved;
        sum->change += change * change;
        if (row == column) /* |D|^2 is the trace of D'D */
            sum->step += a.dd[e] + b.dd[e];
        c[e] = a.wd[e] - b.wd[transposed];
    }
    Svd of_q = svd_of(a.ww, n, n), of_k = svd_of(b.ww, n, n);
    sum->along += along_gauge(x, &of_q, &of_k, c, scratch);
    free(of_q.u);
    free(of_k.u);
    free(a.ww);
    free(b.ww);
    free(c);
}

/* Sets *q and *k to the two matrices of a term (algebra/terms.h) that should be
   their product Q K'. Returns false if it has other matrices. */
static bool
pair_of_term(const Term *t, Matrix *q, Matrix *k)
{
    const Chain *queries = &t->chain[Q_SIDE], *keys = &t->chain[K_SIDE];
    *q = queries->symbol[0].m;
    if (queries->count == 1 && keys->count == 1) { /* W_Q W_K', as in M_i */
        *k = keys->symbol[0].m;
        return true;
    }
    if (queries->count == 2 && keys->count == 0) { /* W_V W_O, as in N_i */
        *k = transposed(queries->symbol[1].m);
        return true;
    }
    return false;
}

/* Finds the pairs of all heads of a place from its derived form. Returns false
   unless every weight is in exactly one pair of M_i or N_i. Another weight,
   such as a bias, would have a gauge that is not measured here. */
static bool
find_pairs(Pairs *p, const Derived *d, Piece piece)
{
    size_t entries = 0, in_pairs = 0; /* of all weights, and of all pairs */
    for (int i = 0; i < d->run.weights.count; i++)
        entries += entries_of(&d->run.weights.list[i]);
    for (int i = 0; i < d->count; i++) {
        Matrix q, k;
        if (!pair_of_term(&d->term[i], &q, &k))
            return false;
        in_pairs += (size_t)(q.rows + k.rows) * (size_t)q.cols;
        if (d->term[i].piece != piece)
            continue;
        p->q[p->count] = q;
        p->k[p->count] = k;
        p->count++;
    }
    return in_pairs == entries;
}

Pairs
gauge_pairs(const Model *m, int place, int piece)
{
    const ModelPlace *at = &m->place[place];
    const Relative *positions = at->attention.relative;
    bool rotated = positions && positions->rotated;
    Derived d = derive(at->variant, at->attention, place_weights(m, place));
    int most = d.count; /* pairs: at most one for each term, and maybe none */
    Pairs p = {.q = allocate((size_t)2 * most + 1, sizeof *p.q)};
    p.k = p.q + most;
    /* M_i and N_i of each head have one term each, and nothing else has any. */
    bool one_term_each = d.count == 2 * d.heads;
    bool may_have_pairs = !d.why && !rotated && one_term_each;
    if (!may_have_pairs || !find_pairs(&p, &d, piece))
        p.count = 0;
    derived_free(&d);
    return p;
}

GaugeMove
gauge_move(const Model *m, int place, const real *before, int piece)
{
    GaugeMove sum = {0};
    Pairs p = gauge_pairs(m, place, piece);
    for (int i = 0; i < p.count; i++) {
        add_head(&sum, p.q[i], p.k[i], m, before);
        sum.by_chance += share_by_chance(p.q[i].rows, p.q[i].cols) / p.count;
    }
    free(p.q);
    return sum;
}
