/* relu.c - relu instead of softmax (Wortsman et al. 2023). */
#include "standard.h"

static double
positive(double x)
{
    return x > 0 ? x : 0;
}

static double
is_positive(double x)
{
    return x > 0;
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    Node *s = mask_zero(a, scores(a, q, k, 1 / sqrt(a->d_k)));
    Node *p = map(s, positive, is_positive);

    return matmul(apply_weights(a, p, v), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: relu(q_i k_i' / sqrt(d_k)) v_i",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
};
