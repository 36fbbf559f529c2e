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
#include "algebra/rotated.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "heart/positions.h"

/* Head i: M_i (d_model x width), its scale in it, and N_i (width x d_model).
   width is d_model, except after through(). Where q and k are rotated, M_i is
   given by what they are before, (d_model x turned) and (width x turned), and m
   has the rows that it reads of y, (turned x width). */
struct Form {
    int heads, slots; /* of the form; heads of the variant that is fitted */
    int d_model, width, turned;
    int m_rows; /* of each head's m */
    double *m, *n, *q, *k;
    Rotated *rotated;  /* of each head, in q and k */
    char *why;         /* it cannot be fitted; empty where it can */
    double *condition; /* the worst of what was inverted */
    Form **made; /* by through() and one_head(): a list, freed with this one */
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
matrix_of(Entries *w, int index)
{
    const Declared *d = declared(w, index);
    return (Part){w->at[index], d->rows, d->cols, d->cols, 1};
}

Part
columns_of(Entries *w, int index, int from, int count)
{
    const Declared *d = declared(w, index);
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
    const Declared *d = declared(w, index);
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

/* How many of `count` heads from `first` on the form has: those that are left
   are 0. */
static int
heads_there(const Form *f, int first, int count)
{
    int left = f->heads - first;
    return left < 0 ? 0 : left < count ? left : count;
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
        if (f->turned && !turned)
            rotated_factor(f->rotated + first, heads_there(f, first, count),
                           scale, some, own);
        else
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
    if (f->turned)
        snprintf(f->why, WHY_SIZE, "%s",
                 "W^Q W_K' cannot be multiplied through a rotation: with rope "
                 "it is another matrix at each distance");
    else
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
        if (f->turned)
            rotated_symmetric(f->rotated + i, scale, block_of(w, i, r));
        else
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
    int there = heads_there(f, i, 1), w = f->width, t = f->turned;
    Form *one = made_from(f, there, 1, w);
    for (int k = 0; k < there * f->m_rows * w; k++)
        one->m[k] = f->m[i * f->m_rows * w + k];
    for (int k = 0; k < there * f->d_model * w; k++)
        one->n[k] = f->n[i * f->d_model * w + k];
    for (int k = 0; k < there * f->d_model * t; k++)
        one->q[k] = f->q[i * f->d_model * t + k];
    for (int k = 0; k < there * w * t; k++)
        one->k[k] = f->k[i * w * t + k];
    return one;
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
    Form *inner = made_from(f, f->heads, f->slots, c.cols);
    add_seen(inner->m, f->m, f->heads, f->m_rows, false, c);
    add_seen(inner->n, f->n, f->heads, f->d_model, true, c);
    add_seen(inner->k, f->k, f->heads, f->turned, true, c);
    memcpy(inner->q, f->q,
           (size_t)f->heads * f->d_model * f->turned * sizeof *f->q);
    return inner;
}

/* c spans what all M_i and all N_i', one below the other, read of y: their
   right singular vectors, the largest first. M and N count equally. */
const Form *
through(const Form *f, Part c)
{
    int d = f->d_model, n = f->width, r = c.cols;
    int of_m = f->heads * f->m_rows * n, of_n = f->heads * d * n;
    check_part("through", c, n, r);
    double *all = allocate((size_t)(of_m + of_n), sizeof *all);
    double m_size = inverse_norm(f->m, of_m), n_size = inverse_norm(f->n, of_n);
    for (int i = 0; i < of_m; i++)
        all[i] = m_size * f->m[i];
    for (int i = 0; i < of_n; i++)
        all[of_m + i] =
            n_size * form_entry(f, true, i / n / d, i / n % d, i % n);
    Svd a = svd_of(all, (of_m + of_n) / n, n);
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
    add_seen(behind->n, f->n, f->heads, f->d_model, true,
             (Part){t, n, r, r, 1});
    free(a.u);
    free(t);
    return behind;
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
form_of(const Canonical *c, int slots, char *why, double *condition,
        Form **made)
{
    int d = c->d_model, w = c->width;
    Form *f = form_new(&(Form){.heads = c->heads,
                               .slots = slots,
                               .d_model = d,
                               .turned = w,
                               .why = why,
                               .condition = condition,
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
    real *const *values, char why[WHY_SIZE], double *condition)
{
    double ignored = 0;
    *why = 0;
    condition = condition ? condition : &ignored;
    *condition = 0;
    if (!v->fit)
        snprintf(
            why, WHY_SIZE,
            "its plugin has no `fit`, which makes its matrices from M and N");
    else if (c->heads > a->heads)
        snprintf(why, WHY_SIZE, "%d heads do not fit into %d", c->heads,
                 a->heads);
    if (*why)
        return false;
    Form *made = NULL, *form = form_of(c, a->heads, why, condition, &made);
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
    int d = c->d_model;
    if (h >= c->heads)
        return 0;
    Svd a = svd_of((which ? c->n : c->m) + h * d * d, d, d);
    int rank = which || c->scale[h] != 0 ? rank_of(a.s, d, ROUNDED_AWAY) : 0;
    free(a.u);
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
