/* rotated.c - a head whose queries and keys are rotated by their positions. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "algebra/rotated.h"
#include "algebra/svd.h"
#include "heart/fail.h"
#include "heart/numbers.h"
#include "heart/positions.h"

/* Pair `pair` of columns of a matrix `width` wide, as complex numbers. */
static double complex
pair_at(const double *m, int width, int row, int pair)
{
    const double *at = m + row * width + 2 * pair;
    return at[0] + I * at[1];
}

/* What query row i and key row j make of pair p: entry i, j of C_p. */
static double complex
product_at(const Rotated *h, int pair, int i, int j)
{
    return conj(pair_at(h->q, h->width, i, pair)) *
           pair_at(h->k, h->width, j, pair);
}

/* The squares of a pair of columns. */
static double
squares_of(const double *m, int rows, int width, int pair)
{
    double sum = 0;
    for (int i = 0; i < rows; i++)
        sum += creal(pair_at(m, width, i, pair) *
                     conj(pair_at(m, width, i, pair)));
    return sum;
}

/* The pair of the head that turns as fast as pair `pair` of `width` columns: p
   with p / h->width = pair / width. -1: none */
static int
pair_of(const Rotated *h, int pair, int width)
{
    return pair * h->width % width ? -1 : pair * h->width / width;
}

void
rotated_product(const Rotated *h, int distance, double *m)
{
    for (int i = 0; i < h->d_model * h->rows; i++)
        m[i] = 0;
    for (int p = 0; p < h->width / 2; p++) {
        double angle = distance * angle_of(p, h->width);
        double complex turn = cosine(angle) - I * sine(angle);
        for (int i = 0; i < h->d_model * h->rows; i++)
            m[i] += creal(turn * product_at(h, p, i / h->rows, i % h->rows));
    }
}

void
rotated_term(const Rotated *h, int pair, int width, bool imaginary,
             double *term)
{
    int p = pair_of(h, pair, width);
    for (int i = 0; i < h->d_model * h->rows; i++) {
        double complex c =
            p < 0 ? 0 : product_at(h, p, i / h->rows, i % h->rows);
        term[i] = imaginary ? cimag(c) : creal(c);
    }
}

/* The key, one for all heads, that comes nearest to pair p of each: with
   C_p = conj(a) b' of each head the first singular vector of [|a| b ...],
   (rows). As real numbers x + iy is [x -y; y x]. */
static void
shared_key(const Rotated *head, int count, int pair, double complex *key)
{
    int rows = head->rows;
    double *all = allocate((size_t)4 * rows * count, sizeof *all);
    for (int i = 0; i < count; i++) {
        const Rotated *h = &head[i];
        double size = sqrt(squares_of(h->q, h->d_model, h->width, pair));
        for (int j = 0; j < rows; j++) {
            double complex b = size * pair_at(h->k, h->width, j, pair);
            double *at = all + j * 2 * count + 2 * i;
            at[0] = creal(b);
            at[1] = -cimag(b);
            at[rows * 2 * count] = cimag(b);
            at[rows * 2 * count + 1] = creal(b);
        }
    }
    Svd a = svd_of(all, 2 * rows, 2 * count);
    for (int j = 0; j < rows; j++)
        key[j] = a.u[j * a.k] + I * a.u[(rows + j) * a.k];
    free(a.u);
    free(all);
}

/* Entry `row` of pair `pair` of a part's columns becomes x. */
static void
put_pair(Part to, int row, int pair, double complex x)
{
    double *at = to.at + row * to.down + 2 * pair * to.across;
    at[0] = creal(x);
    at[to.across] = cimag(x);
}

/* conj(left_i) key' = C_p of each head: left_i is a_i (b_i* key), and both
   factors become equally large. */
static void
factor_pair(const Rotated *head, int count, double scale, int from, Part left,
            Part shared, int pair)
{
    int d = head->d_model, each = shared.cols / 2;
    double complex *key = allocate((size_t)head->rows, sizeof *key);
    double complex *along = allocate((size_t)count, sizeof *along);
    double squares = 0;
    shared_key(head, count, from, key);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < head->rows; j++)
            along[i] += conj(pair_at(head[i].k, head->width, j, from)) * key[j];
        squares += squares_of(head[i].q, d, head->width, from) *
                   creal(along[i] * conj(along[i]));
    }
    double size = sqrt(sqrt(squares) / fabs(scale));
    double back = size > 0 ? 1 / (size * scale) : 0;
    for (int i = 0; i < count * d; i++)
        put_pair(left, i % d, i / d * each + pair,
                 back * along[i / d] *
                     pair_at(head[i / d].q, head->width, i % d, from));
    for (int j = 0; j < head->rows; j++)
        put_pair(shared, j, pair, size * key[j]);
    free(key);
    free(along);
}

void
rotated_factor(const Rotated *head, int count, double scale, Part left,
               Part shared)
{
    for (int p = 0; count && p < shared.cols / 2; p++) {
        int from = pair_of(head, p, shared.cols);
        if (from >= 0)
            factor_pair(head, count, scale, from, left, shared, p);
    }
}

/* What of C = conj(a) b' equals its conjugate transpose has one positive
   eigenvalue, and the vector that belongs to it is conj(w), a sum of conj(a)
   and conj(b). */
void
rotated_symmetric(const Rotated *h, double scale, Part w)
{
    for (int p = 0; p < w.cols / 2; p++) {
        int from = pair_of(h, p, w.cols), width = h->width;
        if (from < 0)
            continue;
        double aa = squares_of(h->q, h->d_model, width, from);
        double bb = squares_of(h->k, h->d_model, width, from), xx = 0;
        double complex ab = 0;
        for (int i = 0; i < h->d_model; i++)
            ab += pair_at(h->q, width, i, from) *
                  conj(pair_at(h->k, width, i, from));
        double most =
            (creal(ab) + sqrt(fmax(aa * bb - cimag(ab) * cimag(ab), 0))) / 2;
        for (int round = 0; round < 2; round++)
            for (int i = 0; i < h->d_model; i++) {
                double complex x =
                    conj(2 * most - ab) * pair_at(h->q, width, i, from) +
                    aa * pair_at(h->k, width, i, from);
                if (round && xx > 0 && most > 0)
                    put_pair(w, i, p, sqrt(most / scale / xx) * x);
                else if (!round)
                    xx += creal(x * conj(x));
            }
    }
}

void
rotated_reads(const Rotated *h, double *reads)
{
    for (int j = 0; j < h->width; j++) {
        double size = sqrt(squares_of(h->q, h->d_model, h->width, j / 2));
        for (int i = 0; i < h->rows; i++)
            reads[j * h->rows + i] = size * h->k[i * h->width + j];
    }
}
