/* factor.c - factors of M and N: what a plugin's `fit` calls.

   M = A B' has many solutions. The singular value decomposition M = U S V'
   gives one whose factors have the same size, A = U sqrt(S) and B = V sqrt(S).
   If the factors are too narrow for M, A B' is the nearest product (Eckart and
   Young 1936). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/factor.h"
#include "algebra/svd.h"
#include "heart/fail.h"

/* The address of an entry. */
static double *
at(Part p, int row, int col)
{
    return p.at + row * p.down + col * p.across;
}

/* The same entries, transposed. */
static Part
flipped(Part p)
{
    return (Part){p.at, p.cols, p.rows, p.across, p.down};
}

/* Columns from .. from + count - 1 of p. `caller` is the function that messages
   name; it returns rows if it has flipped p. */
static Part
some_columns(const char *caller, Part p, int from, int count)
{
    if (from < 0 || count < 1 || from + count > p.cols)
        bug("%s: cannot take %d from index %d on: the matrix has %d", caller,
            count, from, p.cols);
    return (Part){at(p, 0, from), p.rows, count, p.down, p.across};
}

Part
matrix_of(Entries *w, int index)
{
    if (index < 0 || index >= w->declared->count)
        bug("fit: matrix %d is not declared: `weights` has %d, numbered from 0",
            index, w->declared->count);
    const Weight *d = &w->declared->list[index];
    return (Part){w->at[index], d->rows, d->cols, d->cols, 1};
}

Part
columns_of(Entries *w, int index, int from, int count)
{
    return some_columns("columns_of", matrix_of(w, index), from, count);
}

Part
rows_of(Entries *w, int index, int from, int count)
{
    Part columns = flipped(matrix_of(w, index));
    return flipped(some_columns("rows_of", columns, from, count));
}

static void
check_scale(const char *caller, double scale)
{
    if (scale == 0 || !isfinite(scale))
        bug("%s: the scale is %g: give a finite number other than 0", caller,
            scale);
}

/* Ends the program unless p has this shape. */
static void
check_shape(const char *caller, Part p, int rows, int cols)
{
    if (p.rows != rows || p.cols != cols)
        bug("%s: the matrix is (%d x %d), but must be (%d x %d)", caller,
            p.rows, p.cols, rows, cols);
}

double *
row_of(const Form *f, int which, int i, int row)
{
    return f->of[which] + (i * (f->d_model + 1) + row) * f->width;
}

/* Factors the heads of group g, `count` of them: their M_i (or N_i', if `which`
   is N) are stacked, and the SVD of the stack gives both factors. Head i has
   columns i r .. i r + r - 1 of `left`, where r is the rank that is kept; group
   g has such columns of `shared`. `bias` is empty (0 rows), or it gets the last
   row of each M_i. */
static void
factor_group(const Form *f, int which, double scale, int g, int count,
             Part left, Part bias, Part shared)
{
    int d = f->d_model, n = f->width, r = left.cols / f->heads;
    int rows_of_head = d + bias.rows, rows = count * rows_of_head;
    double *all = allocate((size_t)rows * n + 1, sizeof *all);
    for (int i = 0; i < rows; i++) {
        int head = g * count + i / rows_of_head;
        memcpy(all + i * n, row_of(f, which, head, i % rows_of_head),
               (size_t)n * sizeof *all);
    }
    Svd a = svd_of(all, rows, n);
    for (int j = 0; j < r && j < a.k; j++) {
        double root = sqrt(a.s[j] / fabs(scale));
        double signed_root = scale < 0 ? -root : root;
        for (int i = 0; i < rows; i++) {
            int head = g * count + i / rows_of_head, row = i % rows_of_head;
            double entry = signed_root * a.u[i * a.k + j];
            if (row < d)
                *at(left, row, head * r + j) = entry;
            else
                *at(bias, 0, head * r + j) = entry;
        }
        for (int i = 0; i < n; i++)
            *at(shared, i, g * r + j) = root * a.v[i * a.k + j];
    }
    free(a.u);
    free(all);
}

/* Solves scale left_i shared_g' = M_i (or N_i', if `which` is N) for all heads
   i, each of which belongs to a group g of neighbours. left is (d_model x heads
   r), shared (width x groups r); r and the number of groups follow from their
   widths. */
static void
factor(const char *caller, const Form *f, int which, double scale, Part left,
       Part bias, Part shared)
{
    int d = f->d_model, n = f->width, r = left.cols / f->heads;
    int groups = r ? shared.cols / r : 0;
    int count = groups ? f->heads / groups : 0; /* heads of a group */
    check_scale(caller, scale);
    if (left.rows != d || shared.rows != n || left.cols != groups * count * r ||
        shared.cols != groups * r)
        bug("%s: the matrices (%d x %d) and (%d x %d) do not fit the form, "
            "which has %d heads of (%d x %d)",
            caller, left.rows, left.cols, shared.rows, shared.cols, f->heads, d,
            n);
    for (int g = 0; g < groups; g++)
        factor_group(f, which, scale, g, count, left, bias, shared);
}

static const Part no_bias = {.rows = 0};

void
factor_scores(const Form *f, double scale, Part q, Part k)
{
    factor("factor_scores", f, M, scale, q, no_bias, k);
}

void
factor_biased_scores(const Form *f, double scale, Part q, Part bias, Part k)
{
    check_shape("factor_biased_scores", bias, 1, q.cols);
    factor("factor_biased_scores", f, M, scale, q, bias, k);
}

/* scale v_i o_i = N_i is scale o_i' v_i' = N_i': o' is the left factor. */
void
factor_values(const Form *f, double scale, Part v, Part o)
{
    factor("factor_values", f, N, scale, flipped(o), no_bias, v);
}

void
put_constant(const Form *f, Part bias)
{
    check_shape("put_constant", bias, 1, f->d_model);
    for (int j = 0; j < f->d_model; j++)
        *at(bias, 0, j) = f->constant[j];
}

/* Solves scale to_i = M_i (or N_i', if `which` is N), with the to_i side by
   side. */
static void
put(const char *caller, const Form *f, int which, double scale, Part to)
{
    check_scale(caller, scale);
    check_shape(caller, to, f->d_model, f->heads * f->width);
    for (int row = 0; row < f->d_model; row++)
        for (int col = 0; col < to.cols; col++) {
            int head = col / f->width;
            *at(to, row, col) =
                row_of(f, which, head, row)[col % f->width] / scale;
        }
}

void
put_scores(const Form *f, double scale, Part m)
{
    put("put_scores", f, M, scale, m);
}

void
put_values(const Form *f, double scale, Part n)
{
    put("put_values", f, N, scale, flipped(n));
}

/* half = (m + m') / 2 + shift I, for m (d x d) and a shift that leaves no
   eigenvalue negative. Returns the shift: the Frobenius norm of (m + m') / 2,
   since no eigenvalue is larger than that, in absolute value. */
static double
shift_symmetric_part(double *half, const double *m, int d)
{
    double squares = 0;
    for (int row = 0; row < d; row++)
        for (int col = 0; col < d; col++) {
            double entry = (m[row * d + col] + m[col * d + row]) / 2;
            half[row * d + col] = entry;
            squares += entry * entry;
        }
    double shift = sqrt(squares);
    for (int k = 0; k < d; k++)
        half[k * d + k] += shift;
    return shift;
}

/* The nearest positive semi-definite matrix to M_i has the eigenvectors of its
   symmetric part, and the eigenvalues that are not negative (Higham 1988). The
   shifted symmetric part has no negative eigenvalue, so its eigenvalues are its
   singular values; those of the symmetric part are smaller by the shift. */
void
factor_symmetric(const Form *f, double scale, Part w)
{
    int d = f->d_model, r = w.cols / f->heads;
    check_scale("factor_symmetric", scale);
    if (scale < 0)
        bug("factor_symmetric: the scale is %g: give a positive one, since no "
            "eigenvalue of W W' is negative",
            scale);
    check_shape("factor_symmetric", w, d, f->heads * r);
    if (f->width != d)
        bug("factor_symmetric: the form (%d x %d) is not square", d, f->width);
    double *half = allocate((size_t)d * d, sizeof *half);
    for (int head = 0; head < f->heads; head++) {
        double shift = shift_symmetric_part(half, row_of(f, M, head, 0), d);
        Svd a = svd_of(half, d, d);
        for (int j = 0; j < r && j < d; j++) {
            double eigenvalue = fmax(a.s[j] - shift, 0);
            for (int k = 0; k < d; k++)
                *at(w, k, head * r + j) =
                    sqrt(eigenvalue / scale) * a.u[k * d + j];
        }
        free(a.u);
    }
    free(half);
}

/* The form and its matrices are one block of memory. */
Form *
form_like(const Form *f, int heads, int width)
{
    size_t size = (size_t)heads * (size_t)(f->d_model + 1) * (size_t)width;
    Form *made = allocate(1, sizeof *made + 2 * size * sizeof(double));
    *made = *f;
    made->heads = heads;
    made->width = width;
    made->of[M] = (double *)(made + 1);
    made->of[N] = made->of[M] + size;
    made->next = *f->made;
    *f->made = made;
    return made;
}

const Form *
one_head(const Form *f, int i)
{
    if (i < 0 || i >= f->heads)
        bug("one_head: there is no head %d: the form has %d, numbered from 0",
            i, f->heads);
    Form *one = form_like(f, 1, f->width);
    size_t size = (size_t)(f->d_model + 1) * f->width * sizeof(double);
    memcpy(one->of[M], row_of(f, M, i, 0), size);
    memcpy(one->of[N], row_of(f, N, i, 0), size);
    return one;
}

/* Sets to_i = from_i C for every M_i (or N_i', if `which` is N). `to` must be 0
   before. The matrices of a form are one below the other. */
static void
multiply_all(Form *to, const Form *from, int which, Part c)
{
    int rows = from->heads * (from->d_model + 1);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < c.cols; col++)
            for (int l = 0; l < c.rows; l++)
                row_of(to, which, 0, row)[col] +=
                    row_of(from, which, 0, row)[l] * *at(c, l, col);
}

/* Stacks all M_i (or all N_i', if `which` is N) without their bias rows, and
   scales the stack so that the sum of all squared entries is 1. */
static void
stack_normed(double *to, const Form *f, int which)
{
    int d = f->d_model, n = f->width, rows = f->heads * d;
    double squares = 0;
    for (int i = 0; i < rows; i++)
        memcpy(to + i * n, row_of(f, which, i / d, i % d),
               (size_t)n * sizeof *to);
    for (int i = 0; i < rows * n; i++)
        squares += to[i] * to[i];
    for (int i = 0; i < rows * n && squares > 0; i++)
        to[i] *= 1 / sqrt(squares);
}

/* The columns of C become the first right singular vectors of all M_i and all
   N_i', one below the other: the directions of y that the heads read most. M
   and N count equally. */
const Form *
through(const Form *f, Part c)
{
    int n = f->width, r = c.cols, rows = f->heads * f->d_model;
    check_shape("through", c, n, r);
    double *all = allocate(2 * (size_t)rows * n, sizeof *all);
    stack_normed(all, f, M);
    stack_normed(all + rows * n, f, N);
    Svd a = svd_of(all, 2 * rows, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < r && j < a.k; j++)
            *at(c, i, j) = a.v[i * a.k + j];
    free(a.u);
    free(all);
    Form *inner = form_like(f, f->heads, r);
    multiply_all(inner, f, M, c);
    multiply_all(inner, f, N, c);
    return inner;
}

/* With the pseudo-inverse K^+, the N_i of the result are K^+ N_i, so its N_i'
   are N_i' times the transposed pseudo-inverse. */
const Form *
values_behind(const Form *f, Part k)
{
    int n = f->width, r = k.cols;
    check_shape("values_behind", k, n, r);
    double *transposed = allocate(2 * (size_t)n * r, sizeof *transposed);
    double *entries = transposed + n * r;
    for (int row = 0; row < n; row++)
        for (int col = 0; col < r; col++)
            entries[row * r + col] = *at(k, row, col);
    pseudo_inverse(entries, n, r, transposed);
    Form *behind = form_like(f, f->heads, r);
    multiply_all(behind, f, N, (Part){transposed, n, r, r, 1});
    free(transposed);
    return behind;
}

void
put_identity(Entries *w, int index)
{
    Part p = matrix_of(w, index);
    for (int i = 0; i < p.rows && i < p.cols; i++)
        *at(p, i, i) = 1;
}
