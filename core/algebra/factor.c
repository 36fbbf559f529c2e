/* factor.c - factors of M and N: the functions that a plugin's `fit` calls.

   M = A B' has many solutions. The singular value decomposition (SVD)
   M = U S V' gives one whose factors have the same norm, A = U sqrt(S) and
   B = V sqrt(S). If A and B have fewer columns than M has singular values, the
   largest of these are kept, and A B' is the nearest such product to M (Eckart
   and Young 1936). variant.h says what each function does.

   A Part (variant.h) is a matrix, or some columns or rows of one: entry (i, j)
   is at[i * down + j * across]. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/factor.h"
#include "algebra/svd.h"
#include "heart/fail.h"

/* A bias is a matrix of one row. Rows are counted from 0. */
enum { FIRST_ROW = 0, ONE_ROW = 1 };

/* The address of an entry. */
static double *
entry_of(Part p, int row, int col)
{
    return p.at + row * p.down + col * p.across;
}

/* The transpose of p, with the same entries: rows and columns are swapped, and
   so are the distances down and across. */
static Part
flipped(Part p)
{
    return (Part){p.at, p.cols, p.rows, p.across, p.down};
}

/* Columns from .. from + count - 1 of p. `what` is their name in the message:
   "columns" or, if p is flipped, "rows". */
static Part
some_columns(Part p, int from, int count, const char *what)
{
    if (from < 0 || count < 1 || from + count > p.cols)
        bug("%s_of: cannot take %d %s from index %d on: the matrix has %d",
            what, count, what, from, p.cols);
    p.at += from * p.across;
    p.cols = count;
    return p;
}

Part
matrix_of(Entries *w, int index)
{
    if (index < 0 || index >= w->declared->count)
        bug("fit: matrix %d is not declared: `weights` has %d, numbered from 0",
            index, w->declared->count);
    const Weight *d = &w->declared->list[index];
    return (Part){w->at[index], d->rows, d->cols, .down = d->cols, .across = 1};
}

Part
columns_of(Entries *w, int index, int from, int count)
{
    return some_columns(matrix_of(w, index), from, count, "columns");
}

Part
rows_of(Entries *w, int index, int from, int count)
{
    Part rows_as_columns = flipped(matrix_of(w, index));
    return flipped(some_columns(rows_as_columns, from, count, "rows"));
}

/* Ends the program unless matrices can be divided by this scale. The message
   names `caller`, the function that the plugin called. */
static void
check_scale(const char *caller, double scale)
{
    if (scale == 0 || !isfinite(scale))
        bug("%s: the scale is %g: give a finite number other than 0", caller,
            scale);
}

/* Ends the program unless p has this shape. The message names `caller`. */
static void
check_shape(const char *caller, Part p, int rows, int cols)
{
    if (p.rows != rows || p.cols != cols)
        bug("%s: the matrix is (%d x %d), but must be (%d x %d)", caller,
            p.rows, p.cols, rows, cols);
}

double *
row_of(const Form *f, double *matrices, int head, int row)
{
    return matrices + (head * (f->d_model + 1) + row) * f->width;
}

/* Copies the first `rows` rows of each matrix of `count` heads, from
   `first_head` on, into a stack, one below the other. `matrices` is f->m or
   f->n. */
static void
stack_heads(double *stack, int rows, const Form *f, double *matrices,
            int first_head, int count)
{
    int copied = rows * f->width; /* entries of each matrix */
    for (int i = 0; i < count; i++)
        memcpy(stack + i * copied,
               row_of(f, matrices, first_head + i, FIRST_ROW),
               (size_t)copied * sizeof *stack);
}

/* The factors of all M_i, or of all N_i', of a form. A group is a number of
   neighbouring heads that have one factor in common: scale left_i shared_g' is
   M_i or N_i' if head i is in group g. Each left_i and each shared_g has `rank`
   columns. */
typedef struct Factors {
    double scale;
    Part left;   /* (d_model x heads rank): the left_i side by side */
    Part bias;   /* (1 x heads rank): the last row of each left_i, from the bias
                    in M_i; without rows if biases are left out */
    Part shared; /* (width x groups rank): the shared_g side by side */
} Factors;

/* The entry (row, col) of the left factors, in which the bias is the row after
   the rows of `left`. */
static double *
left_entry(Factors f, int row, int col)
{
    return row < f.left.rows ? entry_of(f.left, row, col)
                             : entry_of(f.bias, FIRST_ROW, col);
}

/* Factors one group, of `count` heads. `matrices` is f->m or f->n. The SVD of
   the heads' matrices, one below the other in a stack, is U S V'. Then
   U sqrt(S / |scale|) has their left factors one below the other, with the sign
   of the scale, and V sqrt(S / |scale|) is the shared factor. Column j of each
   factor belongs to the j-th singular value. */
static void
factor_group(const Form *f, double *matrices, int group, int count, Factors to)
{
    int n = f->width, rank = to.left.cols / f->heads;
    int first_head = group * count;
    int rows_of_head = f->d_model + to.bias.rows; /* with or without a bias */
    int rows = count * rows_of_head;
    double *stack = allocate((size_t)rows * n, sizeof *stack);
    stack_heads(stack, rows_of_head, f, matrices, first_head, count);
    Svd svd = svd_of(stack, rows, n);
    for (int j = 0; j < rank && j < svd.k; j++) {
        double root = sqrt(svd.s[j] / fabs(to.scale));
        double signed_root = to.scale < 0 ? -root : root;
        for (int i = 0; i < rows; i++) {
            int head = first_head + i / rows_of_head, row = i % rows_of_head;
            *left_entry(to, row, head * rank + j) =
                signed_root * svd.u[i * svd.k + j];
        }
        for (int i = 0; i < n; i++)
            *entry_of(to.shared, i, group * rank + j) =
                root * svd.v[i * svd.k + j];
    }
    free(svd.u);
    free(stack);
}

/* Ends the program: the parts `one` and `other` that the plugin gave do not fit
   the matrices of the form, which are (rows x cols). */
static void
do_not_fit(const char *caller, const Form *f, Part one, Part other, int rows,
           int cols)
{
    bug("%s: the matrices (%d x %d) and (%d x %d) do not fit the form, which "
        "has %d heads of (%d x %d)",
        caller, one.rows, one.cols, other.rows, other.cols, f->heads, rows,
        cols);
}

/* Computes the factors of all heads, group by group. `matrices` is f->m or
   f->n. Returns false if the shapes of left and shared do not fit it. `caller`,
   for a message about the scale, is the function that the plugin called. */
static bool
factor(const char *caller, const Form *f, double *matrices, Factors to)
{
    Part left = to.left, shared = to.shared;
    /* These follow from the widths, and are 0 if a width is too small: then
       cols_fit is false. */
    int rank = left.cols / f->heads, groups = rank ? shared.cols / rank : 0;
    int heads_of_group = groups ? f->heads / groups : 0;
    bool rows_fit = left.rows == f->d_model && shared.rows == f->width;
    bool cols_fit = left.cols == groups * heads_of_group * rank &&
                    shared.cols == groups * rank;
    check_scale(caller, to.scale);
    if (!rows_fit || !cols_fit)
        return false;
    for (int group = 0; group < groups; group++)
        factor_group(f, matrices, group, heads_of_group, to);
    return true;
}

void
factor_scores(const Form *f, double scale, Part q, Part k)
{
    static const char name[] = "factor_scores";
    if (!factor(name, f, f->m, (Factors){scale, .left = q, .shared = k}))
        do_not_fit(name, f, q, k, f->d_model, f->width);
}

void
factor_biased_scores(const Form *f, double scale, Part q, Part bias, Part k)
{
    static const char name[] = "factor_biased_scores";
    Factors to = {scale, .left = q, .bias = bias, .shared = k};
    check_shape(name, bias, ONE_ROW, q.cols);
    if (!factor(name, f, f->m, to))
        do_not_fit(name, f, q, k, f->d_model, f->width);
}

/* scale v_i o_i = N_i means that scale o_i' v_i' = N_i', so the left factors
   are the o_i'. */
void
factor_values(const Form *f, double scale, Part v, Part o)
{
    static const char name[] = "factor_values";
    if (!factor(name, f, f->n,
                (Factors){scale, .left = flipped(o), .shared = v}))
        do_not_fit(name, f, v, o, f->width, f->d_model);
}

void
put_constant(const Form *f, Part bias)
{
    check_shape("put_constant", bias, ONE_ROW, f->d_model);
    for (int j = 0; j < f->d_model; j++)
        *entry_of(bias, FIRST_ROW, j) = f->constant[j];
}

/* Sets `to`, which has a block to_i for each head side by side, so that scale
   to_i is M_i (if `matrices` is f->m) or N_i' (if it is f->n), without the row
   for a bias. */
static void
put(const char *caller, const Form *f, double *matrices, double scale, Part to)
{
    check_scale(caller, scale);
    check_shape(caller, to, f->d_model, f->heads * f->width);
    for (int row = 0; row < f->d_model; row++)
        for (int col = 0; col < to.cols; col++) {
            const double *from = row_of(f, matrices, col / f->width, row);
            *entry_of(to, row, col) = from[col % f->width] / scale;
        }
}

void
put_scores(const Form *f, double scale, Part m)
{
    put("put_scores", f, f->m, scale, m);
}

void
put_values(const Form *f, double scale, Part n)
{
    put("put_values", f, f->n, scale, flipped(n));
}

/* shifted = (m + m') / 2 + shift I, for m (d x d) and a shift that leaves no
   eigenvalue negative. Returns the shift: the Frobenius norm of (m + m') / 2,
   because no eigenvalue has a larger absolute value. */
static double
shift_symmetric_part(double *shifted, const double *m, int d)
{
    double squares = 0;
    for (int row = 0; row < d; row++)
        for (int col = 0; col < d; col++) {
            double entry = (m[row * d + col] + m[col * d + row]) / 2;
            shifted[row * d + col] = entry;
            squares += entry * entry;
        }
    double shift = sqrt(squares);
    for (int k = 0; k < d; k++)
        shifted[k * d + k] += shift;
    return shift;
}

/* The nearest positive semi-definite matrix to M_i is the symmetric part of M_i
   with 0 instead of each negative eigenvalue (Higham 1988).
   The shifted symmetric part has no negative eigenvalue, so its eigenvalues are
   its singular values. The eigenvalues of the symmetric part itself are smaller
   by the shift. */
void
factor_symmetric(const Form *f, double scale, Part w)
{
    int d = f->d_model, r = w.cols / f->heads; /* columns of each w_i */
    if (scale <= 0 || !isfinite(scale))
        bug("factor_symmetric: the scale is %g: give a finite positive number, "
            "since no eigenvalue of W W' is negative",
            scale);
    check_shape("factor_symmetric", w, d, f->heads * r);
    if (f->width != d)
        bug("factor_symmetric: each M_i is (%d x %d), which is not square: "
            "give the form itself, not a result of through()",
            d, f->width);
    double *shifted = allocate((size_t)d * d, sizeof *shifted);
    for (int head = 0; head < f->heads; head++) {
        const double *m = row_of(f, f->m, head, FIRST_ROW);
        double shift = shift_symmetric_part(shifted, m, d);
        Svd a = svd_of(shifted, d, d);
        for (int j = 0; j < r && j < d; j++) {
            double eigenvalue = fmax(a.s[j] - shift, 0);
            for (int k = 0; k < d; k++)
                *entry_of(w, k, head * r + j) =
                    sqrt(eigenvalue / scale) * a.u[k * d + j];
        }
        free(a.u);
    }
    free(shifted);
}

/* The form is one block of memory: the struct, then all M_i, then all N_i'. */
Form *
form_like(const Form *f, int heads, int width)
{
    size_t size = (size_t)heads * (size_t)(f->d_model + 1) * (size_t)width;
    Form *made = allocate(1, sizeof *made + 2 * size * sizeof(double));
    *made = *f;
    made->heads = heads;
    made->width = width;
    made->m = (double *)(made + 1); /* after the struct */
    made->n = made->m + size;
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
    const int heads = 1;
    Form *one = form_like(f, heads, f->width);
    size_t bytes = (size_t)(f->d_model + 1) * f->width * sizeof(double);
    memcpy(one->m, row_of(f, f->m, i, FIRST_ROW), bytes);
    memcpy(one->n, row_of(f, f->n, i, FIRST_ROW), bytes);
    return one;
}

/* Adds `matrix` C to `result` (rows x c.cols), for a matrix (rows x c.rows),
   both stored row by row. */
static void
add_product(double *result, const double *matrix, int rows, Part c)
{
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < c.cols; col++)
            for (int l = 0; l < c.rows; l++)
                result[row * c.cols + col] +=
                    matrix[row * c.rows + l] * *entry_of(c, l, col);
}

/* Stacks all M_i, or all N_i', without their bias rows, and scales the stack so
   that the sum of all squared entries is 1. A stack of zeros stays as it is. */
static void
stack_normed(double *to, const Form *f, double *matrices)
{
    int entries = f->heads * f->d_model * f->width;
    const int first_head = 0;
    double squares = 0;
    stack_heads(to, f->d_model, f, matrices, first_head, f->heads);
    for (int i = 0; i < entries; i++)
        squares += to[i] * to[i];
    if (squares > 0)
        for (int i = 0; i < entries; i++)
            to[i] *= 1 / sqrt(squares);
}

/* The columns of C become the first right singular vectors of the stack of all
   M_i and all N_i'. They are the directions of y that the heads read most. M
   and N count equally, since both halves of the stack have the same norm. The
   result has M_i C and N_i' C, with their last rows. */
const Form *
through(const Form *f, Part c)
{
    int n = f->width, r = c.cols;     /* r may be any number */
    int rows = f->heads * f->d_model; /* of all M_i, or of all N_i' */
    int rows_and_biases = rows + f->heads;
    check_shape("through", c, n, r);
    double *all = allocate(2 * (size_t)rows * n, sizeof *all);
    stack_normed(all, f, f->m);
    stack_normed(all + rows * n, f, f->n);
    Svd a = svd_of(all, 2 * rows, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < r && j < a.k; j++)
            *entry_of(c, i, j) = a.v[i * a.k + j];
    free(a.u);
    free(all);
    Form *inner = form_like(f, f->heads, r);
    add_product(inner->m, f->m, rows_and_biases, c);
    add_product(inner->n, f->n, rows_and_biases, c);
    return inner;
}

/* The result has K^+ N_i for each N_i, with the pseudo-inverse K^+ (r x n), so
   its N_i' are N_i' times the transpose of K^+. Its M_i stay 0, because only
   values are made from the columns of k. */
const Form *
values_behind(const Form *f, Part k)
{
    int n = f->width, r = k.cols; /* r may be any number */
    check_shape("values_behind", k, n, r);
    double *transpose = allocate(2 * (size_t)n * r, sizeof *transpose);
    double *entries = transpose + n * r; /* of K, after the transpose of K^+ */
    for (int row = 0; row < n; row++)
        for (int col = 0; col < r; col++)
            entries[row * r + col] = *entry_of(k, row, col);
    pseudo_inverse(entries, n, r, transpose);
    Form *behind = form_like(f, f->heads, r);
    add_product(behind->n, f->n, f->heads * (f->d_model + 1),
                (Part){transpose, n, r, .down = r, .across = 1});
    free(transpose);
    return behind;
}

/* Sets the diagonal to 1; all entries are 0 before (fit.c). */
void
put_identity(Entries *w, int index)
{
    Part p = matrix_of(w, index);
    for (int i = 0; i < p.rows && i < p.cols; i++)
        *entry_of(p, i, i) = 1;
}
