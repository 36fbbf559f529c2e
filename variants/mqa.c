/* mqa.c - multi-query attention: one key and one value for all heads.

   Shazeer 2019, arXiv:1911.02150: each head has its query, but all heads share
   one key and one value per token. So a decoder keeps d_k + d_v numbers per
   token, where standard keeps h (d_k + d_v). */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = matmul(y, w[W_K]), *v = matmul(y, w[W_V]);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    factor_scores(f, 1 / sqrt(a->d_k), matrix_of(w, W_Q), matrix_of(w, W_K));
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W^K)' / sqrt(d_k)) y W^V W_i^O",
    .family = "fewer keys",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
