/* adopt.c - from a canonical form to the matrices of a variant.

   A product A B that is to be M has many solutions; of those the singular value
   decomposition M = U S V' gives the one with both factors of one size, U
   sqrt(S) and V sqrt(S), and where the factors are too narrow for M, the
   nearest product there is (Eckart and Young 1936). */
#include <math.h>
#include <stdlib.h>

#include "adopt.h"
#include "fail.h"
#include "svd.h"

struct Form {
    const Canonical *canonical;
};

struct Numbers {
    const Weights *declared;
    double **at;
};

static const Declared *
declared(const Numbers *w, int index)
{
    if (index < 0 || index >= w->declared->count)
        bug("adopt: there is no matrix %d of %d", index, w->declared->count);
    return &w->declared->list[index];
}

Part
columns_from(Numbers *w, int index, int from, int width)
{
    const Declared *d = declared(w, index);
    if (from < 0 || width < 1 || from + width > d->cols)
        bug("columns_from: %s (%d x %d) has no columns %d to %d", d->name,
            d->rows, d->cols, from, from + width - 1);
    return (Part){w->at[index] + from, d->rows, width, d->cols, 1};
}

Part
columns_of(Numbers *w, int index, int i, int width)
{
    return columns_from(w, index, i * width, width);
}

Part
rows_of(Numbers *w, int index, int i, int width)
{
    const Declared *d = declared(w, index);
    if (i < 0 || width < 1 || (i + 1) * width > d->rows)
        bug("rows_of: %s (%d x %d) has no block %d of %d rows", d->name,
            d->rows, d->cols, i, width);
    return (Part){w->at[index] + i * width * d->cols, width, d->cols, d->cols,
                  1};
}

static Part
flipped(Part p)
{
    return (Part){p.at, p.cols, p.rows, p.across, p.down};
}

/* left right' = m / scale, left and right (d x r). */
static void
factor(const double *m, int d, double scale, Part left, Part right)
{
    double *s = allocate((size_t)(d + 2 * d * d), sizeof *s);
    double *u = s + d, *v = u + d * d;
    if (left.rows != d || right.rows != d || left.cols != right.cols)
        bug("factor: (%d x %d) and (%d x %d) are no factors of (%d x %d)",
            left.rows, left.cols, right.rows, right.cols, d, d);
    svd(m, d, d, u, s, v);
    for (int j = 0; j < left.cols && j < d; j++)
        for (int i = 0; i < d; i++) {
            double root = sqrt(s[j] / scale);
            left.at[i * left.down + j * left.across] = root * u[i * d + j];
            right.at[i * right.down + j * right.across] = root * v[i * d + j];
        }
    free(s);
}

/* s M_i of a form, to be freed; NULL for a head that it does not have. */
static double *
scores_of(const Form *f, int i)
{
    const Canonical *c = f->canonical;
    int size = c->d_model * c->d_model;
    if (i >= c->heads)
        return NULL;
    double *m = allocate((size_t)size, sizeof *m);
    for (int k = 0; k < size; k++)
        m[k] = c->scale[i] * c->m[i * size + k];
    return m;
}

void
factor_scores(const Form *f, int i, double scale, Part q, Part k)
{
    double *m = scores_of(f, i);
    if (m)
        factor(m, f->canonical->d_model, scale, q, k);
    free(m);
}

void
factor_values(const Form *f, int i, double scale, Part v, Part o)
{
    int d = f->canonical->d_model;
    if (i < f->canonical->heads)
        factor(f->canonical->n + i * d * d, d, scale, v, flipped(o));
}

void
put_scores(const Form *f, int i, double scale, Part m)
{
    double *from = scores_of(f, i);
    int d = f->canonical->d_model;
    for (int k = 0; from && k < d * d; k++)
        m.at[k / d * m.down + k % d * m.across] = from[k] / scale;
    free(from);
}

void
put_identity(Numbers *w, int index)
{
    const Declared *d = declared(w, index);
    for (int i = 0; i < d->rows && i < d->cols; i++)
        w->at[index][i * (d->cols + 1)] = 1;
}

bool
adopt(const Variant *v, const Attention *a, const Weights *w,
      const Canonical *c, real *const *values)
{
    if (!v->adopt || c->heads > a->heads)
        return false;
    Form form = {c};
    Numbers numbers = {w, allocate((size_t)w->count, sizeof(double *))};
    for (int i = 0; i < w->count; i++)
        numbers.at[i] = allocate(
            (size_t)w->list[i].rows * (size_t)w->list[i].cols, sizeof(double));
    v->adopt(&form, a, &numbers);
    for (int i = 0; i < w->count; i++) {
        for (int k = 0; k < w->list[i].rows * w->list[i].cols; k++)
            values[i][k] = (real)numbers.at[i][k];
        free(numbers.at[i]);
    }
    free(numbers.at);
    return true;
}

double
form_distance(const Canonical *a, const Canonical *b)
{
    int size = a->d_model * a->d_model;
    double apart[2] = {0}, largest[2] = {0};
    for (int h = 0; h < b->heads; h++)
        for (int k = 0; k < size; k++) {
            int at = h * size + k;
            bool there = h < a->heads;
            double m = b->scale[h] * b->m[at], n = b->n[at];
            double other_m = there ? a->scale[h] * a->m[at] : 0;
            double other_n = there ? a->n[at] : 0;
            apart[0] = fmax(apart[0], fabs(m - other_m));
            apart[1] = fmax(apart[1], fabs(n - other_n));
            largest[0] = fmax(largest[0], fabs(m));
            largest[1] = fmax(largest[1], fabs(n));
        }
    return fmax(apart[0] / fmax(largest[0], 1e-300),
                apart[1] / fmax(largest[1], 1e-300));
}
