/* gauge.c - what training does in the directions that change nothing.

   Heads of queries may share a head of keys, and then its gauge: so a pair is
   "many" matrices (d x k), W_i^Q or W_i^O', and one of the "few", W_g^K or
   W_g^V. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/derive.h"
#include "algebra/svd.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "watch/gauge.h"

/* Matrices (d x k) side by side; entry i, j is at[i * down + j * across]. */
typedef struct Side {
    const real *at;
    int d, cols, down, across, heads, k;
} Side;

/* The weight of that name at a place, in a copy of all weights; transposed, if
   it is W^O. */
static Side
side_named(const Model *m, int place, const real *values, const char *name)
{
    const ModelPlace *p = &m->place[place];
    for (int i = p->weights; i < p->weights + p->declared; i++) {
        const Weight *w = &m->weights[i];
        const real *at = values + (w->value - m->values);
        if (strcmp(strrchr(w->name, '.') + 1, name))
            continue;
        return strcmp(name, "W^O")
                   ? (Side){at, w->rows, w->cols, w->cols, 1, 0, 0}
                   : (Side){at, w->cols, w->rows, 1, w->cols, 0, 0};
    }
    return (Side){.at = NULL};
}

/* Is that term of a form the product of two matrices of those names? */
static bool
is_product(const Term *t, const char *one, const char *other)
{
    int first, end;
    matrices_of(t, &first, &end);
    return !t->next && end - first == 2 &&
           !strcmp(weight_name(&t->of[first]), one) &&
           !strcmp(weight_name(&t->of[first + 1]), other);
}

/* Is the form of a place W_i^Q W_i^K', W_i^V W_i^O, with nothing else that
   reads these matrices? No bias, which shares their gauge, and no rotation
   between them, which leaves little of it. */
static bool
has_pairs(const ModelPlace *p)
{
    Derived d = derive(p->variant, p->attention);
    bool plain = !d.blocked.count && d.heads && !d.constant;
    for (int h = 0; h < d.heads && plain; h++) {
        Term *const *piece = d.piece[h];
        plain = piece[SCORES] && piece[VALUES] && !piece[SCORES_BIAS] &&
                is_product(piece[SCORES], "W^Q", "W^K") &&
                is_product(piece[VALUES], "W^V", "W^O");
    }
    derived_free(&d);
    return plain && !(p->attention.relative && p->attention.relative->rotated);
}

/* Both sides of a pair, the many and the few; false if there are none. */
static bool
find_pair(const Model *m, int place, const real *values, size_t which,
          Side *many, Side *few)
{
    if (!has_pairs(&m->place[place]))
        return false;
    *many = side_named(m, place, values, which ? "W^O" : "W^Q");
    *few = side_named(m, place, values, which ? "W^V" : "W^K");
    many->heads = m->place[place].attention.heads;
    many->k = few->k = many->cols / many->heads;
    few->heads = few->cols / few->k;
    return true;
}

/* to (k x k) += factor x_h' y_g */
static void
add_product(double *to, double factor, const Side *x, int h, const Side *y,
            int g)
{
    int k = x->k;
    for (int r = 0; r < k; r++)
        for (int c = 0; c < k; c++) {
            double sum = 0;
            for (int i = 0; i < x->d; i++)
                sum += (double)x->at[i * x->down + (h * k + r) * x->across] *
                       (double)y->at[i * y->down + (g * k + c) * y->across];
            to[r * k + c] += factor * sum;
        }
}

/* to += factor times the sum of x_h' y_h over the heads that are served by g.
 */
static void
add_group(double *to, double factor, const Side *x, const Side *y, int g,
          int groups)
{
    int each = x->heads / groups;
    for (int h = g * each; h < (g + 1) * each; h++)
        add_product(to, factor, x, h, y, h);
}

double
conserved_drift(const Model *m, int place, const real *start, size_t which)
{
    Side many, few, many_then, few_then;
    if (!find_pair(m, place, m->values, which, &many, &few))
        return NAN;
    find_pair(m, place, start, which, &many_then, &few_then);
    int size = many.k * many.k;
    double apart = 0, all = 0;
    double *was = allocate((size_t)2 * size, sizeof *was), *moved = was + size;
    for (int g = 0; g < few.heads; g++) {
        memset(was, 0, 2 * (size_t)size * sizeof *was);
        add_group(was, 1, &many_then, &many_then, g, few.heads);
        add_product(was, -1, &few_then, g, &few_then, g);
        add_group(moved, 1, &many, &many, g, few.heads);
        add_product(moved, -1, &few, g, &few, g);
        for (int i = 0; i < size; i++) {
            apart += (moved[i] - was[i]) * (moved[i] - was[i]);
            all += was[i] * was[i];
        }
    }
    free(was);
    return sqrt(apart / all);
}

static double
squared_length(const Side *x)
{
    double sum = 0;
    for (int i = 0; i < x->d; i++)
        for (int j = 0; j < x->cols; j++) {
            double at = (double)x->at[i * x->down + j * x->across];
            sum += at * at;
        }
    return sum;
}

/* The squared length of the part of a step that is along Q X, -K X' for some X.
   The nearest X has Q'Q X + X K'K = C with C = Q' dQ - dK' K, which in the
   eigenvectors of Q'Q and of K'K says X_ij = C_ij / (a_i + b_j); and the part
   is as long as X C is. */
static double
length_along(double *qq, double *kk, const double *c, int k)
{
    Svd a = svd_of(qq, k, k), b = svd_of(kk, k, k);
    double along = 0;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double entry = 0;
            for (int r = 0; r < k; r++)
                for (int s = 0; s < k; s++)
                    entry += a.u[r * k + i] * c[r * k + s] * b.u[s * k + j];
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
    Side many, few, many_step, few_step;
    if (!find_pair(m, place, before, which, &many, &few))
        return NAN;
    real *step = allocate(m->parameters, sizeof *step);
    for (size_t i = 0; i < m->parameters; i++)
        step[i] = m->values[i] - before[i];
    find_pair(m, place, step, which, &many_step, &few_step);
    int size = many.k * many.k;
    double along = 0, *qq = allocate((size_t)3 * size, sizeof *qq);
    for (int g = 0; g < few.heads; g++) {
        double *kk = qq + size, *c = kk + size;
        memset(qq, 0, 3 * (size_t)size * sizeof *qq);
        add_group(qq, 1, &many, &many, g, few.heads);
        add_product(kk, 1, &few, g, &few, g);
        add_group(c, 1, &many, &many_step, g, few.heads);
        add_product(c, -1, &few_step, g, &few, g);
        along += length_along(qq, kk, c, many.k);
    }
    double all = squared_length(&many_step) + squared_length(&few_step);
    free(qq);
    free(step);
    return along / all;
}
