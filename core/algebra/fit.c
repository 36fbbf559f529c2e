/* fit.c - from a canonical form to the matrices of a variant.

   A product A B that is to be M has many solutions; of those the singular value
   decomposition M = U S V' gives the one with both factors of one size, U
   sqrt(S) and V sqrt(S), and where the factors are too narrow for M, the
   nearest product there is (Eckart and Young 1936). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/fit.h"
#include "algebra/svd.h"
#include "heart/fail.h"

/* Head i: M_i (d_model x width), its scale in it, and N_i (width x d_model).
   width is d_model, except after through(). */
struct Form {
    int heads, slots; /* of the form; heads of the variant that is fitted */
    int d_model, width;
    double *m, *n;
    double *condition; /* the worst of what was inverted */
    Form **made; /* by through() and one_head(): a list, freed with this one */
    Form *next;
};

struct Entries {
    const Weights *declared;
    double **at;
};

static const Weight *
declared(const Entries *w, int index)
{
    if (index < 0 || index >= w->declared->count)
        bug("fit: there is no matrix %d of %d", index, w->declared->count);
    return &w->declared->list[index];
}

Part
matrix_of(Entries *w, int index)
{
    const Weight *d = declared(w, index);
    return (Part){w->at[index], d->rows, d->cols, d->cols, 1};
}

Part
columns_of(Entries *w, int index, int from, int count)
{
    const Weight *d = declared(w, index);
    if (from < 0 || count < 1 || from + count > d->cols)
        bug("columns_of: %s (%d x %d) has no columns %d to %d", d->name,
            d->rows, d->cols, from, from + count - 1);
    return (Part){w->at[index] + from, d->rows, count, d->cols, 1};
}

static Part
flipped(Part p)
{
    return (Part){p.at, p.cols, p.rows, p.across, p.down};
}

Part
rows_of(Entries *w, int index, int from, int count)
{
    const Weight *d = declared(w, index);
    if (from < 0 || count < 1 || from + count > d->rows)
        bug("rows_of: %s (%d x %d) has no rows %d to %d", d->name, d->rows,
            d->cols, from, from + count - 1);
    return (Part){w->at[index] + from * d->cols, count, d->cols, d->cols, 1};
}

/* Block i of `width` columns. */
static Part
block_of(Part p, int i, int width)
{
    return (Part){p.at + i * width * p.across, p.rows, width, p.down, p.across};
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

/* scale left_i shared' = M_i (N_i' if turned) for as many heads, from `first`
   on, as `left` (d_model x count*r) is wider than `shared` (width x r): by the
   singular values of the heads one below the other, (count*d_model x width). */
static void
factor(const Form *f, bool turned, int first, double scale, Part left,
       Part shared)
{
    int d = f->d_model, n = f->width, r = shared.cols, count = left.cols / r;
    int rows = count * d;
    double *all = allocate((size_t)rows * n, sizeof *all);
    for (int i = 0; i < rows * n; i++)
        all[i] = form_entry(f, turned, first + i / n / d, i / n % d, i % n);
    Svd a = svd_of(all, rows, n);
    for (int j = 0; j < r && j < a.k; j++) {
        double root = sqrt(a.s[j] / fabs(scale)), sign = scale < 0 ? -1 : 1;
        for (int i = 0; i < rows; i++)
            left.at[i % d * left.down + (i / d * r + j) * left.across] =
                sign * root * a.u[i * a.k + j];
        for (int i = 0; i < n; i++)
            shared.at[i * shared.down + j * shared.across] =
                root * a.v[i * a.k + j];
    }
    free(a.u);
    free(all);
}

/* The same for all heads: each of `shared` serves its share of those of
   `left`. */
static void
factor_heads(const char *name, const Form *f, bool turned, double scale,
             Part left, Part shared)
{
    int r = left.cols / f->slots, groups = r ? shared.cols / r : 0;
    int count = groups ? f->slots / groups : 0;
    check_scale(name, scale);
    if (left.rows != f->d_model || shared.rows != f->width ||
        left.cols != groups * count * r || shared.cols != groups * r)
        bug("%s: (%d x %d) and (%d x %d) do not fit: there are %d heads of "
            "(%d x %d)",
            name, left.rows, left.cols, shared.rows, shared.cols, f->slots,
            f->d_model, f->width);
    for (int g = 0, first = 0; g < groups; g++, first += count) {
        Part some = block_of(left, g, count * r), own = block_of(shared, g, r);
        factor(f, turned, first, scale, some, own);
    }
}

void
factor_scores(const Form *f, double scale, Part q, Part k)
{
    factor_heads("factor_scores", f, false, scale, q, k);
}

void
factor_values(const Form *f, double scale, Part v, Part o)
{
    factor_heads("factor_values", f, true, scale, flipped(o), v);
}

/* scale to_i = M_i (N_i' if turned) */
static void
put(const char *name, const Form *f, bool turned, double scale, Part to)
{
    check_scale(name, scale);
    check_part(name, to, f->d_model, f->slots * f->width);
    for (int row = 0; row < f->d_model; row++)
        for (int col = 0; col < to.cols; col++)
            to.at[row * to.down + col * to.across] =
                form_entry(f, turned, col / f->width, row, col % f->width) /
                scale;
}

void
put_scores(const Form *f, double scale, Part m)
{
    put("put_scores", f, false, scale, m);
}

void
put_values(const Form *f, double scale, Part n)
{
    put("put_values", f, true, scale, flipped(n));
}

/* The eigenvalues of a symmetric matrix are the singular values of what a
   large enough multiple of the identity makes positive, less that multiple. */
static void
symmetric_part(const Form *f, int i, double scale, Part w)
{
    int d = f->d_model;
    double *half = allocate((size_t)d * d, sizeof *half), shift = 0;
    for (int k = 0; k < d * d; k++) {
        half[k] = (form_entry(f, false, i, k / d, k % d) +
                   form_entry(f, false, i, k % d, k / d)) /
                  2;
        shift += half[k] * half[k];
    }
    shift = sqrt(shift);
    for (int k = 0; k < d; k++)
        half[k * (d + 1)] += shift;
    Svd a = svd_of(half, d, d);
    for (int j = 0; j < w.cols && j < d; j++)
        for (int k = 0; k < d; k++)
            w.at[k * w.down + j * w.across] =
                sqrt(fmax(a.s[j] - shift, 0) / scale) * a.u[k * d + j];
    free(a.u);
    free(half);
}

void
factor_symmetric(const Form *f, double scale, Part w)
{
    int d = f->d_model, r = w.cols / f->slots;
    check_scale("factor_symmetric", scale < 0 ? 0 : scale);
    check_part("factor_symmetric", w, d, f->slots * r);
    if (f->width != d)
        bug("factor_symmetric: the form is (%d x %d), not square", d, f->width);
    for (int i = 0; i < f->heads; i++)
        symmetric_part(f, i, scale, block_of(w, i, r));
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
    size_t size = (size_t)f->heads * (size_t)f->d_model * (size_t)width;
    *made = *f;
    made->width = width;
    made->m = allocate(size, sizeof *made->m);
    made->n = allocate(size, sizeof *made->n);
    return made;
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

/* A form like f, of other heads and another width, that is freed with f. */
static Form *
made_from(const Form *f, int heads, int slots, int width)
{
    Form like = *f;
    like.heads = heads;
    like.slots = slots;
    Form *made = form_new(&like, width);
    made->next = *f->made;
    return *f->made = made;
}

const Form *
one_head(const Form *f, int i)
{
    if (i < 0 || i >= f->slots)
        bug("one_head: head %d of %d: they count from 0", i, f->slots);
    int there = i < f->heads, size = f->d_model * f->width;
    Form *one = made_from(f, there, 1, f->width);
    for (int k = 0; k < there * size; k++) {
        one->m[k] = f->m[i * size + k];
        one->n[k] = f->n[i * size + k];
    }
    return one;
}

/* Of each head, to += from C for rows of `from` (d_model x C's rows), or for
   columns of it where `turned`. */
static void
add_seen(double *to, const double *from, const Form *f, bool turned, Part c)
{
    int rows = f->d_model;
    for (int i = 0; i < f->heads * rows * c.cols; i++) {
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
    Form *inner = made_from(f, f->heads, f->slots, c.cols);
    add_seen(inner->m, f->m, f, false, c);
    add_seen(inner->n, f->n, f, true, c);
    return inner;
}

/* c spans what all M_i and all N_i', one below the other, read of y: their
   right singular vectors, the largest first. M and N count equally. */
const Form *
through(const Form *f, Part c)
{
    int d = f->d_model, n = f->width, r = c.cols, size = f->heads * d * n;
    check_part("through", c, n, r);
    double *all = allocate(2 * (size_t)size, sizeof *all);
    double m_size = inverse_norm(f->m, size), n_size = inverse_norm(f->n, size);
    for (int i = 0; i < size; i++) {
        all[i] = m_size * f->m[i];
        all[size + i] =
            n_size * form_entry(f, true, i / n / d, i / n % d, i % n);
    }
    Svd a = svd_of(all, 2 * f->heads * d, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < r && j < a.k; j++)
            c.at[i * c.down + j * c.across] = a.v[i * a.k + j];
    free(a.u);
    free(all);
    return seen_through(f, c);
}

/* T' N_i, where T' is K's inverse by its singular values: K = U S V' and
   T = U S^-1 V', without those that are rounding. */
const Form *
values_behind(const Form *f, Part k)
{
    int n = f->width, r = k.cols;
    check_part("values_behind", k, n, r);
    double *t = allocate(2 * (size_t)n * r, sizeof *t), *all = t + n * r;
    for (int i = 0; i < n * r; i++)
        all[i] = k.at[i / r * k.down + i % r * k.across];
    Svd a = svd_of(all, n, r);
    int rank = rank_of(a.s, a.k, ROUNDED_AWAY);
    for (int j = 0; j < rank; j++) {
        *f->condition = fmax(*f->condition, a.s[0] / a.s[j]);
        for (int i = 0; i < n * r; i++)
            t[i] += a.u[i / r * a.k + j] * a.v[i % r * a.k + j] / a.s[j];
    }
    Form *behind = made_from(f, f->heads, f->slots, r);
    add_seen(behind->n, f->n, f, true, (Part){t, n, r, r, 1});
    free(a.u);
    free(t);
    return behind;
}

void
put_identity(Entries *w, int index)
{
    const Weight *d = declared(w, index);
    for (int i = 0; i < d->rows && i < d->cols; i++)
        w->at[index][i * (d->cols + 1)] = 1;
}

/* The form c, its scale in M. */
static Form *
form_of(const Canonical *c, int slots, double *condition, Form **made)
{
    int d = c->d_model;
    Form *f = form_new(&(Form){.heads = c->heads,
                               .slots = slots,
                               .d_model = d,
                               .condition = condition,
                               .made = made},
                       d);
    for (int i = 0; i < c->heads * d * d; i++) {
        f->n[i] = c->n[i];
        f->m[i] = c->scale[i / d / d] * c->m[i];
    }
    return f;
}

bool
fit(const Variant *v, const Attention *a, const Weights *w, const Canonical *c,
    real *const *values, char why[WHY_SIZE], double *condition)
{
    double ignored = 0;
    *why = 0;
    condition = condition ? condition : &ignored;
    *condition = 0;
    if (c->rotated)
        snprintf(why, WHY_SIZE,
                 "rope rotates between W^Q and W^K', so M is another matrix at "
                 "each distance, and the two cannot be multiplied out");
    else if (!v->fit)
        snprintf(
            why, WHY_SIZE,
            "its plugin has no `fit`, which makes its matrices from M and N");
    else if (c->heads > a->heads)
        snprintf(why, WHY_SIZE, "%d heads do not fit into %d", c->heads,
                 a->heads);
    if (*why)
        return false;
    Form *made = NULL, *form = form_of(c, a->heads, condition, &made);
    Entries numbers = {w, allocate((size_t)w->count, sizeof(double *))};
    for (int i = 0; i < w->count; i++)
        numbers.at[i] = allocate(
            (size_t)w->list[i].rows * (size_t)w->list[i].cols, sizeof(double));
    enter(v, " in fit");
    v->fit(form, a, &numbers);
    enter(NULL, "");
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

/* Entry k of s M or N of head h; 0 for a head that is not there. */
static double
entry_of_head(const Canonical *c, int which, int h, int k)
{
    int at = h * c->d_model * c->d_model + k;
    return h >= c->heads ? 0 : which ? c->n[at] : c->scale[h] * c->m[at];
}

/* The rank of N, or of M. */
static int
rank_of_head(const Canonical *c, int which, int h)
{
    int d = c->d_model;
    if (h >= c->heads)
        return 0;
    Svd a = svd_of((which ? c->n : c->m) + h * d * d, d, d);
    int rank = which || c->scale[h] != 0 ? rank_of(a.s, d, ROUNDED_AWAY) : 0;
    free(a.u);
    return rank;
}

/* Compares a head's s M or N; returns what was lost. */
static double
head_error(const Canonical *now, const Canonical *wanted, int which, int h,
           double *apart, double *largest)
{
    double squares = 0, lost = 0;
    for (int k = 0; k < wanted->d_model * wanted->d_model; k++) {
        double x = entry_of_head(wanted, which, h, k);
        double off = x - entry_of_head(now, which, h, k);
        *apart = isnan(off) ? INFINITY : fmax(*apart, fabs(off));
        *largest = fmax(*largest, fabs(x));
        lost += off * off;
        squares += x * x;
    }
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
