/* unscaled.c - no 1/sqrt(d_k) anywhere.

   softmax(Q K') V: initial scores have a standard deviation of sqrt(d_k)
   instead of 1. So the scale is part of the initialisation as much as of the
   formula: if W^Q and W^K were initialised d_k^(-1/4) times as large, this
   would start as the same function as standard. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    (void)a;
    factor_scores(f, 1, matrix_of(w, W_Q), matrix_of(w, W_K));
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^K)') y W_i^V W_i^O",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
