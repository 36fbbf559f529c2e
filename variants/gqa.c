/* gqa.c - grouped-query attention: g keys and values for h queries.

   Ainslie et al. 2023, arXiv:2305.13245: each key and each value serves h / g
   neighbouring heads, so a decoder keeps g / h of what standard keeps. g is
   --kv-heads: g = h is standard, g = 1 is mqa. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->kv_heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->kv_heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->kv_heads);
    Node *v = split(matmul(y, w[W_V]), a->kv_heads);

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
    .equation = "softmax(x W_i^Q (y W_g^K)' / sqrt(d_k)) y W_g^V W_i^O",
    .family = "fewer keys",
    .shape = "heads kv-heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
