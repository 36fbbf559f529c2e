/* gauge.c - what training does in the directions that change nothing.

   A pair is W^Q and W^K, or W^V and W^O', each with k columns a head. */
#include <math.h>

#include "algebra/derive.h"
#include "algebra/svd.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "watch/gauge.h"

/* Finds both sides of pair `which` of a place, in a copy of all weights, and
   returns the width k of a head. It is 0 unless the form is W_i^Q W_i^K' and
   W_i^V W_i^O, of four weights: a bias or another head would share their gauge,
   and a rotation would leave only a part of it. */
static int
find_pair(const Model *m, int place, const real *values, size_t which,
          Matrix side[2])
{
    const ModelPlace *p = &m->place[place];
    const Relative *positions = p->attention.relative;
    real **own = model_attention(m, place);
    Derived d = derive(p->variant, p->attention, own);
    const Term *scores = term_of(&d, 0, SCORES, 0);
    const Term *carried = term_of(&d, 0, VALUES, 0);
    bool plain = scores && carried && !d.why && d.run.weights.count == 4 &&
                 d.count == 2 * d.heads && scores->chain[0].count == 1 &&
                 scores->chain[1].count == 1 && carried->chain[0].count == 2;
    int k = 0, found = 0;
    for (int i = 0; i < 4 && plain; i++) { /* W_i^Q, W_i^K, W_i^V, W_i^O */
        const Chain *c = i < 2 ? &scores->chain[i] : carried->chain;
        const Symbol *s = &c->of[i == 3];
        const Node *w = s->of;
        Matrix all =
            matrix(values + (w->value - m->values), w->rows, w->cols, w->cols);
        for (int n = 0; n < 4 && s->m.across == 1; n++)
            found |= (w->value == own[n]) << n;
        if (i / 2 == (int)which)
            side[i % 2] = i == 3 ? transposed(all) : all;
        k = i == 2 * (int)which ? s->m.cols : k;
    }
    derived_free(&d);
    free(own);
    bool own_heads = found == 15 && side[0].cols == side[1].cols;
    return own_heads && !(positions && positions->rotated) ? k : 0;
}

/* Entry e of X' Y (k x k) of a head. */
static double
gram(Matrix x, Matrix y, int k, int head, int e)
{
    int i = head * k + e / k, j = head * k + e % k;
    double sum = 0;
    for (int r = 0; r < x.rows; r++)
        sum += (double)x.at[r * x.down + i * x.across] *
               (double)y.at[r * y.down + j * y.across];
    return sum;
}

double
conserved_drift(const Model *m, int place, const real *start, size_t which)
{
    Matrix now[2], then[2];
    int k = find_pair(m, place, m->values, which, now);
    if (!k)
        return NAN;
    find_pair(m, place, start, which, then);
    double apart = 0, all = 0;
    for (int i = 0; i < now[0].cols * k; i++) {
        int h = i / (k * k), e = i % (k * k);
        double was =
            gram(then[0], then[0], k, h, e) - gram(then[1], then[1], k, h, e);
        double is =
            gram(now[0], now[0], k, h, e) - gram(now[1], now[1], k, h, e);
        apart += (is - was) * (is - was);
        all += was * was;
    }
    return sqrt(apart / all);
}

/* The part of a step of Q and K that is along Q X, -K X' for some X. The
   nearest X has Q'Q X + X K'K = C with C = Q' dQ - dK' K, which in the
   eigenvectors of Q'Q and of K'K says X_ij = C_ij / (a_i + b_j); and the part's
   squared length is the sum of X_ij C_ij. */
double
gauge_share(const Model *m, int place, const real *before, size_t which)
{
    Matrix at[2], by[2];
    int k = find_pair(m, place, before, which, at);
    if (!k)
        return NAN;
    real *step = allocate(m->parameters, sizeof *step);
    for (size_t i = 0; i < m->parameters; i++)
        step[i] = m->values[i] - before[i];
    find_pair(m, place, step, which, by);
    int size = k * k;
    double along = 0, all = 0;
    double *qq = allocate((size_t)3 * size, sizeof *qq);
    double *kk = qq + size, *c = kk + size;
    for (int h = 0; h < at[0].cols / k; h++) {
        for (int e = 0; e < size; e++) {
            qq[e] = gram(at[0], at[0], k, h, e);
            kk[e] = gram(at[1], at[1], k, h, e);
            c[e] = gram(at[0], by[0], k, h, e) - gram(by[1], at[1], k, h, e);
            if (e / k == e % k)
                all +=
                    gram(by[0], by[0], k, h, e) + gram(by[1], by[1], k, h, e);
        }
        Svd a = svd_of(qq, k, k), b = svd_of(kk, k, k);
        for (int i = 0; i < size; i++) {
            double entry = 0, by_sum = a.s[i / k] + b.s[i % k];
            for (int e = 0; e < size; e++)
                entry += a.u[e / k * k + i / k] * c[e] * b.u[e % k * k + i % k];
            along += by_sum > 0 ? entry * entry / by_sum : 0;
        }
        free(a.u);
        free(b.u);
    }
    free(qq);
    free(step);
    return along / all;
}
