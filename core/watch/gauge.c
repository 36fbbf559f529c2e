/* gauge.c - how far training moves along directions that change nothing.

   A pair is W_i^Q and W_i^K, or W_i^V and W_i^O', each with k columns. */
#include "algebra/derive.h"
#include "algebra/svd.h"
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

/* The squared length of the part of a step (dQ, dK) that is along (Q X, -K X')
   for some X. All matrices are k x k: qq is Q'Q, kk is K'K, and c is
   C = Q' dQ - dK' K. The nearest X solves Q'Q X + X K'K = C.
   In the eigenvectors of Q'Q and of K'K the solution is
   X_ij = C_ij / (a_i + b_j), and the squared length is the sum of X_ij C_ij. */
static double
along_gauge(const double *qq, const double *kk, const double *c, int k)
{
    double along = 0;
    Svd a = svd_of(qq, k, k), b = svd_of(kk, k, k);
    for (int row = 0; row < k; row++)
        for (int col = 0; col < k; col++) {
            double entry = 0, divisor = a.s[row] + b.s[col];
            for (int i = 0; i < k; i++)
                for (int j = 0; j < k; j++)
                    entry += a.u[i * k + row] * c[i * k + j] * b.u[j * k + col];
            along += divisor > 0 ? entry * entry / divisor : 0;
        }
    free(a.u);
    free(b.u);
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
    s->along += along_gauge(a.ww, b.ww, c, n);
    s->by_chance += share_by_chance(q.rows, n);
    free(a.ww);
    free(b.ww);
    free(c);
}

/* Adds the heads of a place, each of which should have two terms, each a
   product A B'. Returns false unless every weight is in exactly one such pair:
   an entry in no pair, such as that of a bias, would share its gauge. */
static bool
add_heads(GaugeMove *s, const Derived *d, int piece, const Model *m,
          const real *before)
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
        if (t->piece == piece)
            add_head(s, a, b, m, before);
    }
    s->by_chance /= d->heads;
    return unseen == 0;
}

GaugeMove
gauge_move(const Model *m, int place, const real *before, int piece)
{
    const ModelPlace *p = &m->place[place];
    const Relative *positions = p->attention.relative;
    bool rotated = positions && positions->rotated;
    Derived d = derive(p->variant, p->attention, place_weights(m, place));
    GaugeMove s = {0};
    bool known = false;
    if (!d.why && !rotated && d.count == 2 * d.heads)
        known = add_heads(&s, &d, piece, m, before);
    derived_free(&d);
    return known ? s : (GaugeMove){0};
}
