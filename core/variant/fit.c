/* fit.c - from a canonical form to the matrices of a variant.

   A product A B that is to be M has many solutions; of those the singular value
   decomposition M = U S V' gives the one with both factors of one size, U
   sqrt(S) and V sqrt(S), and where the factors are too narrow for M, the
   nearest product there is (Eckart and Young 1936). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "math/svd.h"
#include "variant/rotated.h"
#include "variant/fit.h"

/* Head i: M_i (d_model x width), its scale in it, and N_i (width x d_model).
   width is d_model, except after through(). Where q and k are rotated, M_i is
   given by what they are before, (d_model x turned) and (width x turned), and m
   has the rows that it reads of y, (turned x width). */
struct Form {
    int heads, slots; /* of the form; heads of the variant that is fitted */
    int d_model, width, turned;
    int m_rows; /* of each head's m */
    double *m, *n, *q, *k;
    Rotated *rotated; /* of each head, in q and k */
    char *why;        /* it cannot be fitted; empty where it can */
    Form **made;      /* by through(): a list, freed with this one */
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

/* How many of `count` heads from `first` on the form has: those that are left
   are 0. */
static int
heads_there(const Form *f, int first, int count)
{
    int left = f->heads - first;
    return left < 0 ? 0 : left < count ? left : count;
}

/* factor() where q and k are rotated. */
static void
factor_rotated(const Form *f, int first, double scale, Part left, Part shared)
{
    int count = left.cols / shared.cols;
    check_heads("factor_scores", f, first, count);
    check_scale("factor_scores", scale);
    check_part("factor_scores", left, f->d_model, count * shared.cols);
    check_part("factor_scores", shared, f->width, shared.cols);
    rotated_factor(f->rotated + first, heads_there(f, first, count), scale,
                   left, shared);
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
    if (f->turned)
        factor_rotated(f, first, scale, q, k);
    else
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
    if (f->turned) {
        snprintf(f->why, WHY_SIZE, "%s",
                 "W^Q W_K' cannot be multiplied through a rotation: with rope "
                 "it is another matrix at each distance");
        return;
    }
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
static void
symmetric_part(const Form *f, int i, double scale, Part w)
{
    int d = f->d_model;
    double *half = allocate((size_t)(3 * d * d + d), sizeof *half), shift = 0;
    double *s = half + d * d, *u = s + d, *v = u + d * d;
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

void
factor_symmetric(const Form *f, int i, double scale, Part w)
{
    int d = f->d_model;
    check_heads("factor_symmetric", f, i, 1);
    check_scale("factor_symmetric", scale < 0 ? 0 : scale);
    check_part("factor_symmetric", w, d, w.cols);
    if (f->width != d)
        bug("factor_symmetric: the form is (%d x %d), not square", d, f->width);
    if (!f->turned)
        symmetric_part(f, i, scale, w);
    else if (i < f->heads)
        rotated_symmetric(f->rotated + i, scale, w);
}

/* 1 / the norm of `count` entries. */
static double
inverse_norm(const double *from, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += from[i] * from[i];
    return sum > 0 ? 1 / sqrt(sum) : 0;
}

/* A form like f with memory for its matrices, M_i (d_model x width). */
static Form *
form_new(const Form *f, int width)
{
    Form *made = allocate(1, sizeof *made);
    size_t heads = (size_t)f->heads, wide = (size_t)width;
    size_t d = (size_t)f->d_model, turned = (size_t)f->turned;
    *made = *f;
    made->width = width;
    made->m_rows = f->turned ? f->turned : f->d_model;
    made->m = allocate(heads * (size_t)made->m_rows * wide, sizeof *made->m);
    made->n = allocate(heads * d * wide, sizeof *made->n);
    made->q = allocate(heads * d * turned, sizeof *made->q);
    made->k = allocate(heads * wide * turned, sizeof *made->k);
    made->rotated = allocate(heads, sizeof *made->rotated);
    for (size_t i = 0; i < heads; i++)
        made->rotated[i] =
            (Rotated){f->d_model, width, f->turned, made->q + i * d * turned,
                      made->k + i * wide * turned};
    return made;
}

static void
form_free(Form *f)
{
    if (f) {
        form_free(f->next);
        free(f->m);
        free(f->n);
        free(f->q);
        free(f->k);
        free(f->rotated);
        free(f);
    }
}

/* Of each head, to += from C for rows of `from` (rows x C's rows), or for
   columns of it where `turned`. */
static void
add_seen(double *to, const double *from, int heads, int rows, bool turned,
         Part c)
{
    for (int i = 0; i < heads * rows * c.cols; i++) {
        int head = i / rows / c.cols, row = i / c.cols % rows, col = i % c.cols;
        double *at = turned ? to + (head * c.cols + col) * rows + row : to + i;
        const double *of = from + head * rows * c.rows;
        for (int l = 0; l < c.rows; l++)
            *at += (turned ? of[l * rows + row] : of[row * c.rows + l]) *
                   c.at[l * c.down + col * c.across];
    }
}

/* M_i C and C' N_i, for a C of orthonormal columns. */
static const Form *
seen_through(const Form *f, Part c)
{
    Form *inner = form_new(f, c.cols);
    inner->next = *f->made;
    *f->made = inner;
    add_seen(inner->m, f->m, f->heads, f->m_rows, false, c);
    add_seen(inner->n, f->n, f->heads, f->d_model, true, c);
    add_seen(inner->k, f->k, f->heads, f->turned, true, c);
    memcpy(inner->q, f->q,
           (size_t)(f->heads * f->d_model * f->turned) * sizeof *f->q);
    return inner;
}

/* c spans what all M_i and all N_i', one below the other, read of y: their
   right singular vectors, the largest first. M and N count equally. */
const Form *
through(const Form *f, Part c)
{
    int d = f->d_model, n = f->width, r = c.cols;
    int of_m = f->heads * f->m_rows * n, of_n = f->heads * d * n;
    int rows = (of_m + of_n) / n, k = rows < n ? rows : n;
    check_part("through", c, n, r);
    double *all =
        allocate((size_t)(rows * n + k + rows * k + n * k), sizeof *all);
    double *s = all + rows * n, *u = s + k, *v = u + rows * k;
    double m_size = inverse_norm(f->m, of_m), n_size = inverse_norm(f->n, of_n);
    for (int i = 0; i < of_m; i++)
        all[i] = m_size * f->m[i];
    for (int i = 0; i < of_n; i++)
        all[of_m + i] =
            n_size * form_entry(f, true, i / n / d, i / n % d, i % n);
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

/* The form c, its scale in M, or in q. */
static Form *
form_of(const Canonical *c, int slots, char *why, Form **made)
{
    int d = c->d_model, w = c->width;
    Form *f = form_new(&(Form){.heads = c->heads,
                               .slots = slots,
                               .d_model = d,
                               .turned = w,
                               .why = why,
                               .made = made},
                       d);
    for (int i = 0; i < c->heads * d * d; i++) {
        f->n[i] = c->n[i];
        if (!w)
            f->m[i] = c->scale[i / d / d] * c->m[i];
    }
    for (int i = 0; i < c->heads * d * w; i++) {
        f->q[i] = c->scale[i / d / w] * c->q[i];
        f->k[i] = c->k[i];
    }
    for (int i = 0; w && i < c->heads; i++)
        rotated_reads(&f->rotated[i], f->m + i * w * d);
    return f;
}

bool
fit(const Variant *v, const Attention *a, const Weights *w, const Canonical *c,
    real *const *values, char why[WHY_SIZE])
{
    *why = 0;
    if (!v->fit)
        snprintf(why, WHY_SIZE, "it cannot fit a canonical form");
    else if (c->heads > a->heads)
        snprintf(why, WHY_SIZE, "%d heads do not fit into %d", c->heads,
                 a->heads);
    if (*why)
        return false;
    Form *made = NULL, *form = form_of(c, a->heads, why, &made);
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
    return !*why;
}

/* s M or N of head h; 0 for a head that is not there. Where q and k are rotated
   s M is `terms` matrices, A_p and B_p of each pair of so many columns. */
static void
term_of(const Canonical *c, int which, int h, int term, int terms, double *to)
{
    int d = c->d_model, size = d * d;
    if (!which && c->width && h < c->heads) {
        Rotated head = canonical_rotated(c, h);
        rotated_term(&head, term / 2, terms, term % 2, to);
    } else
        for (int k = 0; k < size; k++)
            to[k] = h >= c->heads ? 0 : (which ? c->n : c->m)[h * size + k];
    for (int k = 0; !which && k < size; k++)
        to[k] *= h >= c->heads ? 0 : c->scale[h];
}

/* The rank of N, or of M, at distance 0. */
static int
rank_of_head(const Canonical *c, int which, int h)
{
    int d = c->d_model, size = d * d;
    double *m = allocate((size_t)(3 * size + d), sizeof *m), *s = m + size;
    for (int k = 0; h < c->heads && k < size; k++)
        m[k] = which ? c->n[h * size + k] : c->scale[h] * c->m[h * size + k];
    svd(m, d, d, s + d, s, s + d + size);
    int rank = rank_of(s, d, ROUNDED_AWAY);
    free(m);
    return rank;
}

/* So many columns that each pair of both turns as fast as one of theirs. */
static int
common_width(int a, int b)
{
    int common = a;
    while (b && common % b)
        common += a;
    return common;
}

/* Compares a head's s M or N; returns what was lost. */
static double
head_error(const Canonical *now, const Canonical *wanted, int which, int h,
           double *apart, double *largest)
{
    int size = wanted->d_model * wanted->d_model, terms = 1;
    double *x = allocate(2 * (size_t)size, sizeof *x), *y = x + size;
    double squares = 0, lost = 0;
    if (!which && wanted->width)
        terms = common_width(wanted->width, now->width);
    for (int term = 0; term < terms; term++) {
        term_of(wanted, which, h, term, terms, x);
        term_of(now, which, h, term, terms, y);
        for (int k = 0; k < size; k++) {
            double off = x[k] - y[k];
            *apart = isnan(off) ? INFINITY : fmax(*apart, fabs(off));
            *largest = fmax(*largest, fabs(x[k]));
            lost += off * off;
            squares += x[k] * x[k];
        }
    }
    free(x);
    return lost == 0 ? 0 : sqrt(lost / (squares > 0 ? squares : lost));
}

FitError
fit_error(const Canonical *now, const Canonical *wanted)
{
    FitError f = {0};
    int heads = now->heads > wanted->heads ? now->heads : wanted->heads;
    for (int which = 0; which < 2; which++) {
        double apart = 0, largest = 1e-300;
        int worst = 0;
        for (int h = 0; h < heads; h++) {
            double lost = head_error(now, wanted, which, h, &apart, &largest);
            if (lost > f.lost[which]) {
                f.lost[which] = lost;
                worst = h;
            }
        }
        f.apart = fmax(f.apart, apart / largest);
        f.rank[which] = rank_of_head(wanted, which, worst);
        f.kept[which] = rank_of_head(now, which, worst);
    }
    return f;
}
