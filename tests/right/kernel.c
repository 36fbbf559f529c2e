/* kernel.c - linear attention as published (Katharopoulos et al. 2020,
   arXiv:2006.16236, equation 4): features elu + 1, and divided by their sum. */
#include "standard.h"

static double
feature(double x)
{
    return x > 0 ? x + 1 : exp(x);
}

static double
slope(double x)
{
    return x > 0 ? 1 : exp(x);
}

static double
inverse(double x)
{
    return 1 / x;
}

static double
inverse_slope(double x)
{
    return -1 / (x * x);
}

static double
one(double x)
{
    (void)x;
    return 1;
}

static double
zero(double x)
{
    (void)x;
    return 0;
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    q = map(q, feature, slope);
    k = map(k, feature, slope);
    Node *p = mask_zero(a, scores(a, q, k, 1));
    Node *ones = map(columns(v, 0, 1), one, zero);
    Node *sum = map(apply_weights(a, p, ones), inverse, inverse_slope);
    return matmul(hadamard(apply_weights(a, p, v), sum), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: f(q) f(k)' v / f(q) sum f(k)', f(x) = elu(x) + 1",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
};
