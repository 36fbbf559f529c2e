/* gauge.c - how far training moves along directions that change nothing.

   A pair is W_i^Q and W_i^K, or W_i^V and W_i^O', each with k columns. */
#include "algebra/derive.h"
#include "algebra/svd.h"
#include "heart/attention.h"
#include "watch/gauge.h"

/* W'W, W'D and D'D, k x k each, one after another, where W is a matrix of a
   pair with the weights that it had `before`, and D is its change since. The
   caller frees the array. */
static double *
products(Matrix w, const Model *m, const real *before)
{
    int k = w.cols, n = w.rows, size = k * k;
    double *ww = allocate((size_t)3 * size + (size_t)2 * k * n, sizeof *ww);
    double *wd = ww + size, *dd = wd + size;
    double *was = dd + size, *by = was + k * n;
    for (int i = 0; i < k * n; i++) {
        const real *now = w.at + i % n * w.down + i / n * w.across;
        was[i] = (double)before[now - m->values];
        by[i] = (double)*now - was[i];
    }
    product_of(ww, was, was, k, n, k, true);
    product_of(wd, was, by, k, n, k, true);
    product_of(dd, by, by, k, n, k, true);
    return ww;
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
    for (int i = 0; i < k * k; i++) {
        int row = i / k, col = i % k;
        double entry = 0, divisor = a.s[row] + b.s[col];
        for (int e = 0; e < k * k; e++)
            entry += a.u[e / k * k + row] * c[e] * b.u[e % k * k + col];
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
    int n = q.cols, size = n * n;
    double *qq = products(q, m, before), *q_dq = qq + size;
    double *kk = products(k, m, before), *k_dk = kk + size;
    double *dq_dq = q_dq + size, *dk_dk = k_dk + size;
    double *c = dq_dq; /* C overwrites each entry after its last use */
    for (int e = 0; e < size; e++) {
        int turned = e % n * n + e / n;
        double was = qq[e] - kk[e];
        double change = q_dq[e] + q_dq[turned] + dq_dq[e] -
                        (k_dk[e] + k_dk[turned] + dk_dk[e]);
        s->conserved += was * was;
        s->change += change * change;
        s->step += e == turned ? dq_dq[e] + dk_dk[e] : 0;
        c[e] = q_dq[e] - k_dk[turned];
    }
    s->along += along_gauge(qq, kk, c, n);
    s->by_chance += share_by_chance(q.rows, n);
    free(qq);
    free(kk);
}

/* Adds the heads of a place, each of which should have two terms, each a
   product A B'. Returns false unless every weight is in exactly one such pair:
   an entry in no pair, such as that of a bias, would share its gauge. */
static bool
add_heads(GaugeMove *s, const Derived *d, int piece, const Model *m,
          const real *before)
{
    int unseen = 0; /* entries of matrices that were in no pair so far */
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
