/* gauge.c - how far training moves along directions that change nothing.

   A pair is W_i^Q and W_i^K, or W_i^V and W_i^O', each with k columns. */
#include "algebra/derive.h"
#include "heart/attention.h"
#include "watch/gauge.h"

/* Products of W, a matrix of a pair before the step, and of D, its change: W'W,
   W'D and D'D, k x k each. */
typedef struct Products {
    double *ww, *wd, *dd; /* one array, which the caller frees as ww */
} Products;

static Products
products(Matrix w, const Model *m, const real *before)
{
    int k = w.cols, n = w.rows, size = k * k;
    double *all = allocate((size_t)3 * size + (size_t)2 * k * n, sizeof *all);
    Products p = {all, all + size, all + 2 * size};
    double *was = all + 3 * size, *by = was + k * n; /* W' and D', k x n */
    for (int i = 0; i < k * n; i++) {
        const real *now = w.at + i % n * w.down + i / n * w.across;
        was[i] = (double)before[now - m->values];
        by[i] = (double)*now - was[i];
    }
    product_of(p.ww, was, was, k, n, k, true);
    product_of(p.wd, was, by, k, n, k, true);
    product_of(p.dd, by, by, k, n, k, true);
    return p;
}

/* c = a' b, all k x k. */
static void
transposed_product(double *c, const double *a, const double *b, int k)
{
    for (int i = 0; i < k * k; i++) {
        c[i] = 0;
        for (int e = 0; e < k; e++)
            c[i] += a[e * k + i / k] * b[e * k + i % k];
    }
}

/* In the eigenvectors of Q'Q and of K'K the solution is
   X_ij = C_ij / (a_i + b_j), and the squared length is the sum of X_ij C_ij. */
double
along_gauge(double *x, const Svd *a, const Svd *b, const double *c)
{
    int k = a->k;
    double along = 0;
    double *half = allocate((size_t)2 * k * k, sizeof *half);
    double *turned = half + k * k;
    transposed_product(half, a->u, c, k);
    product_of(turned, half, b->u, k, k, k, false);
    for (int i = 0; i < k * k; i++) {
        double entry = turned[i], divisor = a->s[i / k] + b->s[i % k];
        bool known = divisor > 1e-12 * (a->s[0] + b->s[0]); /* else rounding */
        turned[i] = known ? entry / divisor : 0;
        along += turned[i] * entry;
    }
    product_of(half, a->u, turned, k, k, k, false);
    product_of(x, half, b->u, k, k, k, true);
    free(half);
    return along;
}

/* The share of a random step of Q and K (n x k) that is along the gauge, on
   average: the number of dimensions of the gauge divided by the 2 n k of the
   step. Each X (k x k) gives a direction (Q X, -K X'). If k is above n, these
   are 0 in (k - n)^2 dimensions of X. */
static double
share_by_chance(int n, int k)
{
    double lost = k > n ? k - n : 0;
    return (k * k - lost * lost) / (2.0 * n * k);
}

/* Adds a head whose pair of matrices is now q and k. */
static void
add_head(GaugeMove *s, Matrix q, Matrix k, const Model *m, const real *before)
{
    int n = q.cols;
    Products a = products(q, m, before), b = products(k, m, before);
    double *c = allocate((size_t)n * n, sizeof *c); /* as in along_gauge */
    for (int e = 0; e < n * n; e++) {
        int turned = e % n * n + e / n; /* the entry of the transpose */
        double was = a.ww[e] - b.ww[e];
        double change = a.wd[e] + a.wd[turned] + a.dd[e] -
                        (b.wd[e] + b.wd[turned] + b.dd[e]);
        s->conserved += was * was;
        s->change += change * change;
        s->step += e == turned ? a.dd[e] + b.dd[e] : 0;
        c[e] = a.wd[e] - b.wd[turned];
    }
    double *x = allocate((size_t)n * n, sizeof *x);
    Svd of_q = svd_of(a.ww, n, n), of_k = svd_of(b.ww, n, n);
    s->along += along_gauge(x, &of_q, &of_k, c);
    free(of_q.u);
    free(of_k.u);
    free(a.ww);
    free(b.ww);
    free(c);
    free(x);
}

/* Finds the pairs of all heads of a place, whose pieces should have one term
   each, a product A B'. Returns false unless every weight is in exactly one
   such pair: an entry in no pair, such as that of a bias, would share its
   gauge. */
static bool
find_pairs(Pairs *p, const Derived *d, int piece)
{
    int unseen = 0; /* entries of matrices that were in no pair yet */
    for (int i = 0; i < d->run.weights.count; i++)
        unseen += d->run.weights.list[i].rows * d->run.weights.list[i].cols;
    for (const Term *t = d->term; t < d->term + d->count; t++) {
        const Chain *q = &t->chain[0], *k = &t->chain[1];
        if (!q->count || q->count + k->count != 2)
            return false;
        Matrix a = q->of[0].m;
        Matrix b = k->count ? k->of[0].m : transposed(q->of[1].m);
        unseen -= (a.rows + b.rows) * a.cols;
        if (t->piece != piece)
            continue;
        p->q[p->count] = a;
        p->k[p->count] = b;
        p->count++;
    }
    return unseen == 0;
}

Pairs
gauge_pairs(const Model *m, int place, int piece)
{
    const ModelPlace *at = &m->place[place];
    const Relative *positions = at->attention.relative;
    bool rotated = positions && positions->rotated;
    Derived d = derive(at->variant, at->attention, place_weights(m, place));
    Pairs p = {.q = allocate((size_t)2 * d.count + 1, sizeof *p.q)};
    p.k = p.q + d.count;
    bool known = false;
    if (!d.why && !rotated && d.count == 2 * d.heads)
        known = find_pairs(&p, &d, piece);
    if (!known)
        p.count = 0;
    derived_free(&d);
    return p;
}

GaugeMove
gauge_move(const Model *m, int place, const real *before, int piece)
{
    GaugeMove s = {0};
    Pairs p = gauge_pairs(m, place, piece);
    for (int i = 0; i < p.count; i++) {
        add_head(&s, p.q[i], p.k[i], m, before);
        s.by_chance += share_by_chance(p.q[i].rows, p.q[i].cols) / p.count;
    }
    free(p.q);
    return s;
}
