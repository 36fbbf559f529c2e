/* gauge.c - what training does in the directions that change nothing.

   A pair (d x k), W_i^Q and W_i^K, or W_i^V and W_i^O', is A and B. Heads that
   share one of the two share its gauge, too: they are one group. */
#include <math.h>

#include "algebra/derive.h"
#include "algebra/svd.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "watch/gauge.h"

/* The form of a place, of these values of all weights, or their steps. */
static Derived
form_at(const Model *m, int place, const real *values)
{
    const ModelPlace *p = &m->place[place];
    real **w = allocate((size_t)p->declared, sizeof *w);
    for (int i = 0; i < p->declared; i++)
        w[i] = (real *)values + (m->weights[p->weights + i].value - m->values);
    return derive(p->variant, p->attention, w);
}

/* Sets pair `which` of head h. False unless the head is W_i^Q W_i^K' and W_i^V
   W_i^O of four matrices, and nothing else has their gauge. */
static bool
find_pair(const Derived *d, int h, size_t which, Matrix pair[2])
{
    Matrix all[4];
    for (int i = 0; i < 4; i++) {
        const Terms *piece = &d->piece[h][i < 2 ? SCORES : VALUES];
        if (piece->count != 1 || matrices_of(piece->term).count != 2)
            return false;
        all[i] = matrices_of(piece->term).of[i % 2].m;
        for (int k = 0; k < i; k++)
            if (all[k].at == all[i].at)
                return false;
    }
    pair[0] = all[2 * which];
    pair[1] = which ? transposed(all[3]) : all[1];
    return !d->why && !d->piece[h][SCORES_BIAS].count &&
           !d->piece[0][CONSTANT].count;
}

/* to (k x k) += X' Y */
static void
add_gram(double *to, Matrix x, Matrix y)
{
    for (int e = 0; e < x.cols * x.cols; e++)
        for (int i = 0; i < x.rows; i++)
            to[e] += (double)x.at[i * x.down + e / x.cols * x.across] *
                     (double)y.at[i * y.down + e % x.cols * y.across];
}

/* A' A and B' B of each group, one after the other, or the products of two
   copies of the weights; no groups if there are no pairs. Free a. */
typedef struct Grams {
    int groups, k;
    double *a, *b;
} Grams;

static Grams
grams_of(const Model *m, int place, const real *x, const real *y, size_t which)
{
    const Relative *positions = m->place[place].attention.relative;
    Derived of_x = form_at(m, place, x), of_y = form_at(m, place, y);
    Grams g = {.groups = 0};
    Matrix p[2], q[2];
    const real *a = NULL, *b = NULL;
    bool pairs = !(positions && positions->rotated);
    for (int h = 0; h < of_x.heads && pairs; h++) {
        pairs = find_pair(&of_x, h, which, p) && find_pair(&of_y, h, which, q);
        if (!pairs)
            break;
        size_t size = (size_t)p[0].cols * p[0].cols;
        if (h == 0) {
            g.k = p[0].cols;
            g.a = allocate(2 * size * of_x.heads, sizeof *g.a);
            g.b = g.a + size * of_x.heads;
        }
        g.groups += p[0].at != a && p[1].at != b;
        if (p[0].at != a)
            add_gram(g.a + (g.groups - 1) * size, p[0], q[0]);
        if (p[1].at != b)
            add_gram(g.b + (g.groups - 1) * size, p[1], q[1]);
        a = p[0].at;
        b = p[1].at;
    }
    derived_free(&of_x);
    derived_free(&of_y);
    return g;
}

/* Entry e of A' A - (B' B)' of all groups. */
static double
difference(const Grams *g, int e)
{
    int i = e / g->k, j = e % g->k, group = i / g->k;
    return g->a[e] - g->b[(group * g->k + j) * g->k + i % g->k];
}

double
conserved_drift(const Model *m, int place, const real *start, size_t which)
{
    Grams now = grams_of(m, place, m->values, m->values, which);
    Grams then = grams_of(m, place, start, start, which);
    double apart = 0, all = 0;
    for (int e = 0; e < now.groups * now.k * now.k; e++) {
        double was = difference(&then, e), moved = difference(&now, e) - was;
        apart += moved * moved;
        all += was * was;
    }
    free(now.a);
    free(then.a);
    return sqrt(apart / all); /* NaN without pairs */
}

/* The squared length of the part of a step that is along A X, -B X' for some X.
   The nearest X has A'A X + X B'B = C with C = A' dA - dB' B, which in the
   eigenvectors of A'A and of B'B says X_ij = C_ij / (a_i + b_j); and the part
   is as long as X C is. */
static double
length_along(const double *aa, const double *bb, const Grams *c, int group)
{
    int k = c->k;
    Svd a = svd_of(aa, k, k), b = svd_of(bb, k, k);
    double along = 0;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double entry = 0;
            for (int e = 0; e < k * k; e++)
                entry += a.u[e / k * k + i] * b.u[e % k * k + j] *
                         difference(c, group * k * k + e);
            if (a.s[i] + b.s[j] > 0)
                along += entry * entry / (a.s[i] + b.s[j]);
        }
    free(a.u);
    free(b.u);
    return along;
}

double
gauge_share(const Model *m, int place, const real *before, size_t which)
{
    real *step = allocate(m->parameters, sizeof *step);
    for (size_t i = 0; i < m->parameters; i++)
        step[i] = m->values[i] - before[i];
    Grams at = grams_of(m, place, before, before, which);
    Grams c = grams_of(m, place, before, step, which);
    Grams steps = grams_of(m, place, step, step, which);
    double along = 0, all = 0;
    for (int g = 0; g < at.groups; g++) {
        size_t first = (size_t)g * at.k * at.k;
        along += length_along(at.a + first, at.b + first, &c, g);
        for (int i = 0; i < at.k; i++)
            all += steps.a[first + i * (at.k + 1)] +
                   steps.b[first + i * (at.k + 1)];
    }
    free(at.a);
    free(c.a);
    free(steps.a);
    free(step);
    return along / all;
}
