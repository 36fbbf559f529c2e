/* check_theorem.c - what is proved about attention, compared with the program.
 */
#include <math.h>
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/random.h"
#include "algebra/svd.h"
#include "algebra/capture.h"
#include "check/difference.h"
#include "heart/tape.h"
#include "operators/scores_and_softmax.h"
#include "config/find_plugin.h"
#include "suites.h"

#define NEAR (sizeof(real) == 4 ? 2e-4 : 1e-10)

/* The weights (n x n) that standard attention with one head gives to tokens x
   (n x d), for W^Q and W^K (d x d_k). */
static void
weights_of(const double *x, int n, int d, int d_k, const double *w_q,
           const double *w_k, double *weights)
{
    Attention a = {.d_model = d, .heads = 1, .d_k = d_k, .d_v = 1};
    Capture capture = {.only = EVERY_HEAD};
    Plugin plugin = plugin_open("standard");
    const double *from[] = {w_q, w_k, NULL, NULL};
    int rows[] = {d, d, d, 1}, cols[] = {d_k, d_k, 1, d};
    real *at[4], *tokens = allocate((size_t)(n * d), sizeof *tokens);
    for (int i = 0; i < n * d; i++)
        tokens[i] = (real)x[i];
    for (int i = 0; i < 4; i++) {
        at[i] = allocate((size_t)(rows[i] * cols[i]), sizeof(real));
        for (int k = 0; from[i] && k < rows[i] * cols[i]; k++)
            at[i][k] = (real)from[i][k];
    }
    Tape *t = tape_new(COMPUTE);
    t->attend = attend_in_steps;
    Node *w[4];
    for (int i = 0; i < 4; i++)
        w[i] = leaf(t, rows[i], cols[i], UNBATCHED, at[i], NULL);
    Node *xn = leaf(t, n, d, UNBATCHED, tokens, NULL);
    capture_start(&capture, t);
    plugin.variant->forward(&a, xn, xn, w);
    Matrix p = call_weights(&capture.call[0], 0, 0);
    for (int i = 0; i < n * n; i++)
        weights[i] = (double)p.at[i / n * p.down + i % n];
    for (int i = 0; i < 4; i++)
        free(at[i]);
    free(tokens);
    tape_free(t);
}

/* X^+ (d x n), with X X^+ = 1, for an X (n x d) of full row rank. */
static void
right_inverse(const double *x, int n, int d, double *inverse)
{
    Svd a = svd_of(x, n, d);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < n; j++) {
            inverse[i * n + j] = 0;
            for (int l = 0; l < n; l++)
                inverse[i * n + j] += a.v[i * n + l] / a.s[l] * a.u[j * n + l];
        }
    free(a.u);
}

/* Bhojanapalli et al. 2020, "Low-Rank Bottleneck in Multi-head Attention
   Models", theorem 1: where d_k >= n and the n tokens are linearly independent,
   some W^Q and W^K give any positive weights P whose rows sum to 1 (columns,
   there: tokens are columns in the paper). With X X^+ = 1 they are
       W^Q = sqrt(d_k) X^+ log P,   W^K = X^+,
   for then q k' / sqrt(d_k) = log P, and softmax(log P) = P. */
TESTS(enough_width_reaches_any_attention, 6)
{
    static const int shapes[][3] = {{2, 2, 2}, {4, 4, 4},   {6, 9, 6},
                                    {6, 9, 8}, {8, 16, 12}, {1, 3, 1}};
    int n = shapes[_i][0], d = shapes[_i][1], d_k = shapes[_i][2];
    Random r = random_stream((uint64_t)_i, "theorem");
    double x[128], p[64], inverse[128], w_q[192] = {0}, w_k[192] = {0};
    for (int i = 0; i < n * d; i++)
        x[i] = random_normal(&r);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += p[i * n + j] = exp(2 * random_normal(&r));
        for (int j = 0; j < n; j++)
            p[i * n + j] /= sum;
    }
    right_inverse(x, n, d, inverse);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < n; j++) {
            w_k[i * d_k + j] = inverse[i * n + j];
            for (int l = 0; l < n; l++)
                w_q[i * d_k + j] +=
                    sqrt(d_k) * inverse[i * n + l] * log(p[l * n + j]);
        }
    double found[64];
    weights_of(x, n, d, d_k, w_q, w_k, found);
    for (int i = 0; i < n * n; i++)
        ck_assert_msg(fabs(found[i] - p[i]) < NEAR,
                      "n %d, entry %d: %g, not %g", n, i, found[i], p[i]);
}

/* The same section's other half: d = d_k = 1 and tokens 1 and 0. The second one
   asks with 0, so its weights are even, whatever W^Q and W^K: no P with another
   second row can be had. */
TEST(too_little_width_does_not)
{
    const double x[] = {1, 0};
    Random r = random_stream(5, "theorem");
    for (int trial = 0; trial < 100; trial++) {
        double w_q = 3 * random_normal(&r), w_k = 3 * random_normal(&r);
        double found[4];
        weights_of(x, 2, 1, 1, &w_q, &w_k, found);
        ck_assert(found[2] == 0.5 && found[3] == 0.5);
    }
}

/* A bias of the keys adds the same to every score of a row, q b', and softmax
   takes it away again: its gradient is 0. That of a query bias is not. */
TESTS(a_key_bias_has_no_gradient, 2)
{
    enum { T = 7, D = 6, H = 2 };
    Attention a = {.d_model = D, .heads = H, .d_k = 3, .causal = _i};
    Random r = random_stream(6, "bias");
    real x[2 * T * D], one[2 * T], w[3][D * D], bias[2][D], slope[2][D];
    for (int i = 0; i < 2 * T * D; i++)
        x[i] = (real)random_normal(&r);
    for (int i = 0; i < 2 * T; i++)
        one[i] = 1;
    for (int i = 0; i < 3 * D * D; i++)
        w[i / (D * D)][i % (D * D)] = (real)(random_normal(&r) / sqrt(D));
    for (int i = 0; i < 2 * D; i++)
        bias[i / D][i % D] = (real)random_normal(&r);
    Tape *t = tape_new(COMPUTE);
    Node *xn = leaf(t, 2 * T, D, 2, x, NULL);
    Node *ones = leaf(t, 2 * T, 1, 2, one, NULL), *qkv[3];
    for (int i = 0; i < 3; i++) {
        Node *map = leaf(t, D, D, UNBATCHED, w[i], NULL);
        qkv[i] = matmul(xn, map);
        if (i < 2)
            qkv[i] =
                add(qkv[i],
                    matmul(ones, leaf(t, 1, D, UNBATCHED, bias[i], slope[i])));
        qkv[i] = split(qkv[i], H);
    }
    backward_projected(attend(&a, qkv[0], qkv[1], qkv[2], 1 / sqrt(3)));

    double of_query = 0, of_key = 0;
    for (int i = 0; i < D; i++) {
        of_query = fmax(of_query, fabs((double)slope[0][i]));
        of_key = fmax(of_key, fabs((double)slope[1][i]));
    }
    ck_assert(of_query > 0.01);
    ck_assert_msg(of_key <= (sizeof(real) == 4 ? 1e-5 : 1e-12) * of_query,
                  "%g against %g", of_key, of_query);
    tape_free(t);
}
