/* 08-equation.c - solution: a fourth matrix from the tokens.

   Each product of two projections is a matrix of weights, and applies to the
   next. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_W, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_W, "W^W", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_model, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *u = split(matmul(y, w[W_W]), a->heads);
    Node *p = softmax(a, scores(a, q, k, 1 / sqrt(a->d_k)));
    Node *g = mask_zero(a, scores(a, v, u, 1 / sqrt(a->d_k)));

    return matmul(apply_weights(a, p, apply_weights(a, g, y)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "W_i^V: d_model x d_v; softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) "
                "(y W_i^V (y W_i^W)' / sqrt(d_k)) y W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
