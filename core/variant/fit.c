/* fit.c - from a canonical form to the matrices of a variant.

   A product A B that is to be M has many solutions; of those the singular value
   decomposition M = U S V' gives the one with both factors of one size, U
   sqrt(S) and V sqrt(S), and where the factors are too narrow for M, the
   nearest product there is (Eckart and Young 1936). */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "math/svd.h"
#include "variant/fit.h"

/* Head i: M_i (d_model x width), its scale in it, and N_i (width x d_model).
   width is d_model, except after through(). */
struct Form {
    int heads, slots; /* of the form; heads of the variant that is fitted */
    int d_model, width;
    double *m, *n;
    Form **made; /* by through(): a list, freed with this one */
    Form *next;
};

struct Entries {
    const Weights *declared;
    double **at;
};

static const Declared *
declared(const Entries *w, int index)
{
    if (index < 0 || index >= w->declared->count)
        bug("fit: there is no matrix %d of %d", index, w->declared->count);
    return &w->declared->list[index];
}

Part
columns_from(Entries *w, int index, int from, int width)
{
    const Declared *d = declared(w, index);
    if (from < 0 || width < 1 || from + width > d->cols)
        bug("columns_from: %s (%d x %d) has no columns %d to %d", d->name,
            d->rows, d->cols, from, from + width - 1);
    return (Part){w->at[index] + from, d->rows, width, d->cols, 1};
}

Part
columns_of(Entries *w, int index, int i, int width)
{
    return columns_from(w, index, i * width, width);
}

Part
rows_of(Entries *w, int index, int i, int width)
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

static void
check_heads(const char *name, const Form *f, int first, int count)
{
    if (first < 0 || count < 1 || first + count > f->slots)
        bug("%s: heads %d to %d of %d: they count from 0", name, first,
            first + count - 1, f->slots);
}

static void
check_scale(const char *name, double scale)
{
    if (scale == 0 || !isfinite(scale))
        bug("%s: nothing can be %g times as large as it is", name, scale);
}

static void
check_part(const char *name, Part p, int rows, int cols)
{
    if (p.rows != rows || p.cols != cols)
        bug("%s: a part (%d x %d) where (%d x %d) belongs", name, p.rows,
            p.cols, rows, cols);
}

/* Head i of m, or of n turned over, so that either is (d_model x width); a head
   that the form does not have is 0. */
static double
form_entry(const Form *f, bool turned, int i, int row, int col)
{
    const double *from = (turned ? f->n : f->m) + i * f->d_model * f->width;
    return i >= f->heads ? 0
           : turned      ? from[col * f->d_model + row]
                         : from[row * f->width + col];
}

/* scale left_i shared' = M_i (N_i' if turned) for as many heads as `left`
   (d_model x count*r) is wider than `shared` (width x r): by the singular
   values of the heads one below the other, (count*d_model x width). */
static void
factor(const Form *f, bool turned, int first, double scale, Part left,
       Part shared)
{
    int d = f->d_model, n = f->width, r = shared.cols, count = left.cols / r;
    int rows = count * d, k = rows < n ? rows : n;
    check_heads("factor", f, first, count);
    check_scale("factor", scale);
    check_part("factor", left, d, count * r);
    check_part("factor", shared, n, r);
    double *all =
        allocate((size_t)(rows * n + k + rows * k + n * k), sizeof *all);
    double *s = all + rows * n, *u = s + k, *v = u + rows * k;
    for (int i = 0; i < rows * n; i++)
        all[i] = form_entry(f, turned, first + i / n / d, i / n % d, i % n);
    svd(all, rows, n, u, s, v);
    for (int j = 0; j < r && j < k; j++) {
        double root = sqrt(s[j] / fabs(scale)), sign = scale < 0 ? -1 : 1;
        for (int i = 0; i < rows; i++)
            left.at[i % d * left.down + (i / d * r + j) * left.across] =
                sign * root * u[i * k + j];
        for (int i = 0; i < n; i++)
            shared.at[i * shared.down + j * shared.across] =
                root * v[i * k + j];
    }
    free(all);
}

void
factor_scores(const Form *f, int first, double scale, Part q, Part k)
{
    factor(f, false, first, scale, q, k);
}

void
factor_values(const Form *f, int first, double scale, Part v, Part o)
{
    factor(f, true, first, scale, flipped(o), v);
}

/* scale to = M_i (N_i' if turned) */
static void
put(const char *name, const Form *f, bool turned, int i, double scale, Part to)
{
    check_heads(name, f, i, 1);
    check_scale(name, scale);
    for (int row = 0; row < f->d_model; row++)
        for (int col = 0; col < f->width; col++)
            to.at[row * to.down + col * to.across] =
                form_entry(f, turned, i, row, col) / scale;
}

void
put_scores(const Form *f, int i, double scale, Part m)
{
    check_part("put_scores", m, f->d_model, f->width);
    put("put_scores", f, false, i, scale, m);
}

void
put_values(const Form *f, int i, double scale, Part n)
{
    check_part("put_values", n, f->width, f->d_model);
    put("put_values", f, true, i, scale, flipped(n));
}

/* The eigenvalues of a symmetric matrix are the singular values of what a
   large enough multiple of the identity makes positive, less that multiple. */
void
factor_symmetric(const Form *f, int i, double scale, Part w)
{
    int d = f->d_model;
    double *half = allocate((size_t)(3 * d * d + d), sizeof *half), shift = 0;
    double *s = half + d * d, *u = s + d, *v = u + d * d;
    check_heads("factor_symmetric", f, i, 1);
    check_scale("factor_symmetric", scale < 0 ? 0 : scale);
    check_part("factor_symmetric", w, d, w.cols);
    if (f->width != d)
        bug("factor_symmetric: the form is (%d x %d), not square", d, f->width);
    for (int k = 0; k < d * d; k++) {
        half[k] = (form_entry(f, false, i, k / d, k % d) +
                   form_entry(f, false, i, k % d, k / d)) /
                  2;
        shift += half[k] * half[k];
    }
    shift = sqrt(shift);
    for (int k = 0; k < d; k++)
        half[k * (d + 1)] += shift;
    svd(half, d, d, u, s, v);
    for (int j = 0; j < w.cols && j < d; j++)
        for (int k = 0; k < d; k++)
            w.at[k * w.down + j * w.across] =
                sqrt(fmax(s[j] - shift, 0) / scale) * u[k * d + j];
    free(half);
}

/* 1 / the norm of all heads of m, or of n. */
static double
inverse_norm(const Form *f, const double *from)
{
    double sum = 0;
    for (int i = 0; i < f->heads * f->d_model * f->width; i++)
        sum += from[i] * from[i];
    return sum > 0 ? 1 / sqrt(sum) : 0;
}

/* A form with memory for its matrices, M_i (d_model x width). */
static Form *
form_new(int heads, int slots, int d_model, int width, Form **made)
{
    size_t size = (size_t)heads * (size_t)d_model * (size_t)width;
    Form *f = allocate(1, sizeof *f);
    *f = (Form){heads, slots, d_model, width, NULL, NULL, made, NULL};
    f->m = allocate(size, sizeof *f->m);
    f->n = allocate(size, sizeof *f->n);
    return f;
}

static void
form_free(Form *f)
{
    if (f) {
        form_free(f->next);
        free(f->m);
        free(f->n);
        free(f);
    }
}

/* M_i C and C' N_i, for a C of orthonormal columns. */
static const Form *
seen_through(const Form *f, Part c)
{
    int d = f->d_model, r = c.cols;
    Form *inner = form_new(f->heads, f->slots, d, r, f->made);
    inner->next = *f->made;
    *f->made = inner;
    for (int i = 0; i < f->heads * d * r; i++) {
        int head = i / d / r, row = i / r % d, col = i % r;
        for (int l = 0; l < f->width; l++) {
            double basis = c.at[l * c.down + col * c.across];
            inner->m[i] += form_entry(f, false, head, row, l) * basis;
            inner->n[(head * r + col) * d + row] +=
                form_entry(f, true, head, row, l) * basis;
        }
    }
    return inner;
}

/* c spans what all M_i and all N_i', one below the other, read of y: their
   right singular vectors, the largest first. M and N count equally. */
const Form *
through(const Form *f, Part c)
{
    int d = f->d_model, n = f->width, r = c.cols, rows = 2 * f->heads * d;
    int half = f->heads * d * n, k = rows < n ? rows : n;
    check_part("through", c, n, r);
    double *all =
        allocate((size_t)(rows * n + k + rows * k + n * k), sizeof *all);
    double *s = all + rows * n, *u = s + k, *v = u + rows * k;
    double m_size = inverse_norm(f, f->m), n_size = inverse_norm(f, f->n);
    for (int i = 0; i < half; i++) {
        int head = i / n / d, row = i / n % d, col = i % n;
        all[i] = m_size * form_entry(f, false, head, row, col);
        all[half + i] = n_size * form_entry(f, true, head, row, col);
    }
    svd(all, rows, n, u, s, v);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < r && j < k; j++)
            c.at[i * c.down + j * c.across] = v[i * k + j];
    free(all);
    return seen_through(f, c);
}

void
put_identity(Entries *w, int index)
{
    const Declared *d = declared(w, index);
    for (int i = 0; i < d->rows && i < d->cols; i++)
        w->at[index][i * (d->cols + 1)] = 1;
}

bool
fit(const Variant *v, const Attention *a, const Weights *w, const Canonical *c,
    real *const *values)
{
    if (!v->fit || c->heads > a->heads)
        return false;
    Form *made = NULL;
    int d = c->d_model;
    Form *form = form_new(c->heads, a->heads, d, d, &made);
    for (int i = 0; i < c->heads * d * d; i++) {
        form->m[i] = c->scale[i / d / d] * c->m[i];
        form->n[i] = c->n[i];
    }
    Entries numbers = {w, allocate((size_t)w->count, sizeof(double *))};
    for (int i = 0; i < w->count; i++)
        numbers.at[i] = allocate(
            (size_t)w->list[i].rows * (size_t)w->list[i].cols, sizeof(double));
    enter(plugin_of(v), " in fit");
    v->fit(form, a, &numbers);
    leave();
    for (int i = 0; i < w->count; i++) {
        for (int k = 0; k < w->list[i].rows * w->list[i].cols; k++)
            values[i][k] = (real)numbers.at[i][k];
        free(numbers.at[i]);
    }
    free(numbers.at);
    form_free(form);
    form_free(made);
    return true;
}

/* Entry k of head h of s M or of N; 0 for a head that is not there. */
static double
canonical_entry(const Canonical *c, int which, int h, int k)
{
    int at = h * c->d_model * c->d_model + k;
    return h >= c->heads ? 0 : which ? c->n[at] : c->scale[h] * c->m[at];
}

static int
rank_of_head(const Canonical *c, int which, int h)
{
    int d = c->d_model, size = d * d;
    double *m = allocate((size_t)(3 * size + d), sizeof *m), *s = m + size;
    for (int k = 0; k < size; k++)
        m[k] = canonical_entry(c, which, h, k);
    svd(m, d, d, s + d, s, s + d + size);
    int rank = rank_of(s, d, ROUNDED_AWAY);
    free(m);
    return rank;
}

FitError
fit_error(const Canonical *now, const Canonical *wanted)
{
    FitError f = {0};
    int size = wanted->d_model * wanted->d_model, worst[2] = {0};
    for (int which = 0; which < 2; which++) {
        double apart = 0, largest = 1e-300;
        int heads = now->heads > wanted->heads ? now->heads : wanted->heads;
        for (int h = 0; h < heads; h++) {
            double squares = 1e-300, lost = 0;
            for (int k = 0; k < size; k++) {
                double x = canonical_entry(wanted, which, h, k);
                double off = x - canonical_entry(now, which, h, k);
                apart = isnan(off) ? INFINITY : fmax(apart, fabs(off));
                largest = fmax(largest, fabs(x));
                lost += off * off;
                squares += x * x;
            }
            if (sqrt(lost / squares) > f.lost[which]) {
                f.lost[which] = sqrt(lost / squares);
                worst[which] = h;
            }
        }
        f.apart = fmax(f.apart, apart / largest);
        f.rank[which] = rank_of_head(wanted, which, worst[which]);
        f.kept[which] = rank_of_head(now, which, worst[which]);
    }
    return f;
}
