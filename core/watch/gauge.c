/* gauge.c - what training does in the directions that change nothing.

   A pair is W_i^Q and W_i^K, or W_i^V and W_i^O', each with k columns. */
#include <math.h>

#include "algebra/derive.h"
#include "algebra/svd.h"
#include "heart/attention.h"
#include "watch/gauge.h"

/* Finds A and B, where a term is A B'; false if it is not. */
static bool
find_pair(const Term *t, Matrix pair[2])
{
    const Chain *q = &t->chain[0], *k = &t->chain[1];
    pair[0] = q->of[0].m;
    pair[1] = k->count ? k->of[0].m : transposed(q->of[1].m);
    return q->count && q->count + k->count == 2;
}

/* Is each M_i and each N_i a pair, and each weight in one of these? A bias or
   another head would share their gauge. */
static bool
has_pairs(const Derived *d)
{
    const Weights *w = &d->run.weights;
    bool pairs = !d->why && d->count == 2 * d->heads;
    int entries = 0;
    Matrix p[2];
    for (const Term *t = d->term; pairs && t < d->term + d->count; t++) {
        pairs = find_pair(t, p);
        entries += (p[0].rows + p[1].rows) * p[0].cols;
    }
    for (int i = 0; i < w->count; i++)
        entries -= w->list[i].rows * w->list[i].cols;
    return pairs && entries == 0;
}

/* W'W, W'D and D'D (k x k each) of one side of a pair, W, and its change D
   from other weights of the model; to be freed. */
static double *
products(Matrix w, const Model *m, const real *before)
{
    int k = w.cols, n = w.rows, size = k * k;
    double *ww = allocate((size_t)(3 * size + 2 * k * n), sizeof *ww);
    double *wd = ww + size, *dd = wd + size, *was = dd + size,
           *by = was + k * n;
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

/* The squared length of the part of a step of Q and K that is along Q X, -K X'
   for some X. The nearest X has Q'Q X + X K'K = C with C = Q' dQ - dK' K, which
   in the eigenvectors of Q'Q and of K'K says X_ij = C_ij / (a_i + b_j); and the
   part's squared length is the sum of X_ij C_ij. */
static double
along_gauge(const double *qq, const double *kk, const double *c, int k)
{
    double along = 0;
    Svd a = svd_of(qq, k, k), b = svd_of(kk, k, k);
    for (int i = 0; i < k * k; i++) {
        double entry = 0, by_sum = a.s[i / k] + b.s[i % k];
        for (int e = 0; e < k * k; e++)
            entry += a.u[e / k * k + i / k] * c[e] * b.u[e % k * k + i % k];
        along += by_sum > 0 ? entry * entry / by_sum : 0;
    }
    free(a.u);
    free(b.u);
    return along;
}

/* Without pairs both are 0 / 0. */
GaugeMove
gauge_move(const Model *m, int place, const real *before, size_t which)
{
    const ModelPlace *p = &m->place[place];
    const Relative *positions = p->attention.relative;
    Derived d = derive(p->variant, p->attention, place_weights(m, place));
    bool pairs = has_pairs(&d) && !(positions && positions->rotated);
    double moved = 0, norm = 0, along = 0, all = 0;
    for (int h = 0; h < d.heads && pairs; h++) {
        Matrix pair[2];
        find_pair(term_of(&d, h, which ? VALUES : SCORES, 0), pair);
        int k = pair[0].cols, size = k * k;
        double *qq = products(pair[0], m, before), *q_dq = qq + size;
        double *kk = products(pair[1], m, before), *k_dk = kk + size;
        double *dq_dq = q_dq + size, *dk_dk = k_dk + size;
        double *c = dq_dq; /* written where an entry has been read */
        for (int e = 0; e < size; e++) {
            int turned = e % k * k + e / k;
            double was = qq[e] - kk[e];
            double apart = q_dq[e] + q_dq[turned] + dq_dq[e] -
                           (k_dk[e] + k_dk[turned] + dk_dk[e]);
            norm += was * was;
            moved += apart * apart;
            all += e == turned ? dq_dq[e] + dk_dk[e] : 0;
            c[e] = q_dq[e] - k_dk[turned];
        }
        along += along_gauge(qq, kk, c, k);
        free(qq);
        free(kk);
    }
    derived_free(&d);
    return (GaugeMove){sqrt(moved / norm), along / all};
}
