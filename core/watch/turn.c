/* turn.c - how far training turns a head along directions that change nothing.

   The lift has the same M as the new weights of training. So its next step ends
   at (now_q A, now_k A^-T) for some A. A simplified Newton's method finds A:
   each round removes the part of the step that is along the gauge, until none
   is left. A is kept in to_q, and A^-T in to_k. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/svd.h"
#include "heart/fail.h"
#include "heart/numbers.h"
#include "watch/turn.h"

Lift
lift_new(int rows, int cols)
{
    size_t weights = (size_t)rows * (size_t)cols;
    size_t square = (size_t)cols * (size_t)cols;
    Lift l = {.rows = rows, .cols = cols};
    size_t kept = 4 * weights + 2 * square; /* the six matrices below */
    size_t scratch = 4 * weights + 7 * square;
    l.now_q = allocate(kept + scratch, sizeof *l.now_q);
    l.now_k = l.now_q + weights;
    l.q = l.now_k + weights;
    l.k = l.q + weights;
    l.to_q = l.k + weights;
    l.to_k = l.to_q + square;
    l.scratch = l.to_k + square;
    for (size_t i = 0; i < square; i += (size_t)cols + 1) /* the diagonal */
        l.to_q[i] = l.to_k[i] = 1;
    return l;
}

/* c becomes C = Q' dQ - dK' K (along_gauge) of the lift's step from (q, k) to
   (now_q to_q, now_k to_k), with Q and K at the middle of the step. C is 0 if
   the step has no part along the gauge there. */
static void
gauge_of_step(const Lift *l, double *c)
{
    int n = l->rows, cols = l->cols, weights = n * cols;
    double *q = l->scratch, *dq = q + weights;
    double *k = dq + weights, *minus_dk = k + weights;
    product_of(q, l->now_q, l->to_q, n, cols, cols); /* the step's end */
    product_of(k, l->now_k, l->to_k, n, cols, cols);
    for (int i = 0; i < weights; i++) {
        dq[i] = q[i] - l->q[i];
        minus_dk[i] = l->k[i] - k[i];
        q[i] -= dq[i] / 2; /* from the end back to the middle */
        k[i] += minus_dk[i] / 2;
    }
    memset(c, 0, (size_t)cols * (size_t)cols * sizeof *c);
    add_product(c, q, dq, n, cols);       /* + Q' dQ */
    add_product(c, minus_dk, k, n, cols); /* + (-dK)' K */
}

/* Removes X, a part of the lift's step that is along the gauge, from that step:
   to_q becomes to_q (1 - X), and to_k the transposed inverse of to_q, so that
   the end of the step has the same M. Returns |X|. `change` has memory for the
   product to_q X. */
static double
take_out_gauge(Lift *l, const double *x, double *change)
{
    const double longest = 0.5;
    int cols = l->cols, size = cols * cols;
    double squares = 0;
    for (int i = 0; i < size; i++)
        squares += x[i] * x[i];
    double length = sqrt(squares);
    /* The equation for X is accurate only if X is short, so at most this length
       of it is removed. */
    double share_of_x = length > longest ? longest / length : 1;
    product_of(change, l->to_q, x, cols, cols, cols);
    for (int i = 0; i < size; i++)
        l->to_q[i] -= share_of_x * change[i];
    /* pseudo_inverse adds the transposed inverse to what is there. */
    memset(l->to_k, 0, (size_t)size * sizeof *l->to_k);
    pseudo_inverse(l->to_q, cols, cols, l->to_k);
    return length;
}

/* The lift starts at the same weights as training. */
void
lift_start(Lift *l)
{
    size_t weights = (size_t)l->rows * (size_t)l->cols;
    memcpy(l->q, l->now_q, weights * sizeof *l->q);
    memcpy(l->k, l->now_k, weights * sizeof *l->k);
}

/* Finds the end of the lift's step in rounds. Each round removes X, the part of
   the step that is along the gauge. X becomes shorter from round to round,
   until it is only rounding. */
void
lift_follow(Lift *l)
{
    enum { ROUNDS = 50 }; /* the most that are tried */
    const double converged = 1e-13, too_long = 1e-6; /* lengths of X */
    int n = l->rows, cols = l->cols, size = cols * cols;
    /* The first 4 n cols numbers of the scratch are for gauge_of_step. */
    double *qq = l->scratch + 4 * n * cols, *kk = qq + size;
    double *c = kk + size, *x = c + size, *change = x + size;
    double *scratch = change + size;
    double last = INFINITY, length = INFINITY; /* of X in the last two rounds */
    /* All rounds use Q'Q and K'K at the step's beginning, so these are
       decomposed only once. */
    memset(qq, 0, 2 * (size_t)size * sizeof *qq); /* clears qq and kk */
    add_product(qq, l->q, l->q, n, cols);
    add_product(kk, l->k, l->k, n, cols);
    Svd a = svd_of(qq, cols, cols), b = svd_of(kk, cols, cols);
    for (int round = 0; round < ROUNDS && length > converged; round++) {
        gauge_of_step(l, c);
        along_gauge(x, &a, &b, c, scratch);
        length = take_out_gauge(l, x, change);
        bool is_shorter = length < last; /* false if a weight is NaN */
        if (!is_shorter)                 /* X is only rounding */
            break;
        last = length;
    }
    bool arrived = length < too_long; /* false if a weight is NaN */
    l->lost |= !arrived;
    free(a.u);
    free(b.u);
    product_of(l->q, l->now_q, l->to_q, n, cols, cols);
    product_of(l->k, l->now_k, l->to_k, n, cols, cols);
}

/* Let U S V' be the decomposition of to_k. Then G = to_k' = V S U' =
   (V U') (U S U'): the rotation is R = V U', and the eigenvalues of the stretch
   are the singular values S. If R turns a plane by an angle t, then R - 1 has
   two singular values of 2 sin(t / 2), so that each plane gives its angle
   twice. */
Turn
lift_turn(const Lift *l)
{
    int k = l->cols;
    if (l->lost)
        return (Turn){NAN, NAN};
    double *r = allocate((size_t)k * (size_t)k, sizeof *r);
    Svd g = svd_of(l->to_k, k, k); /* to_k is G' */
    product_with_transposed(r, g.v, g.u, k, k, k);
    for (int i = 0; i < k; i++)
        r[i * k + i] -= 1; /* the diagonal of R - 1 */
    Svd turned = svd_of(r, k, k);
    double angles = 0, logarithms = 0;
    for (int i = 0; i < k; i++) {
        /* fmin, because rounding may give a sine above 1 */
        double angle = 2 * asin(fmin(turned.s[i] / 2, 1));
        angles += angle * angle / 2;
        logarithms += pow(logarithm(g.s[i]), 2);
    }
    free(turned.u);
    free(g.u);
    free(r);
    return (Turn){sqrt(angles), sqrt(logarithms)};
}

/* Copies the entries of w, row by row. */
static void
copy_entries(double *to, Matrix w)
{
    for (int row = 0; row < w.rows; row++)
        for (int column = 0; column < w.cols; column++)
            to[row * w.cols + column] =
                (double)w.at[row * w.down + column * w.across];
}

/* Copies the present weights of each head into its lift. */
static void
read_weights(const Lifts *all)
{
    for (int i = 0; i < all->pairs.count; i++) {
        copy_entries(all->lift[i].now_q, all->pairs.q[i]);
        copy_entries(all->lift[i].now_k, all->pairs.k[i]);
    }
}

Lifts
lifts_new(const Model *m, int place, int piece)
{
    Lifts all = {.pairs = gauge_pairs(m, place, piece)};
    int count = all.pairs.count;
    all.lift = allocate((size_t)count + 1, sizeof *all.lift);
    for (int i = 0; i < count; i++)
        all.lift[i] = lift_new(all.pairs.q[i].rows, all.pairs.q[i].cols);
    read_weights(&all);
    for (int i = 0; i < count; i++)
        lift_start(&all.lift[i]);
    return all;
}

void
lifts_follow(Lifts *all)
{
    read_weights(all);
    for (int i = 0; i < all->pairs.count; i++)
        lift_follow(&all->lift[i]);
}

Turn
lifts_turn(const Lifts *all)
{
    Turn sum = {0};
    int count = all->pairs.count;
    for (int i = 0; i < count; i++) {
        Turn t = lift_turn(&all->lift[i]);
        sum.angle += t.angle;
        sum.stretch += t.stretch;
    }
    return (Turn){sum.angle / count, sum.stretch / count}; /* 0 / 0 is NaN */
}
