/* v-from-k.c - values computed from keys: a decoder keeps only the keys.

   "Slim attention" (arXiv:2503.05840): if the keys of all heads together are
   as wide as a token, W^K is square, y = k (W^K)^-1, and so
   v = y W^V = k W^KV with W^KV = (W^K)^-1 W^V. This has half the cache of
   standard and is the same function, as exactly as W^K can be inverted.
   Narrower keys have lost a part of y, and so have values made from them. With
   rotary positions the cache has keys before their rotation. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_KV, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_KV, "W^KV", a->heads * a->d_k, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *keys = cached(matmul(y, w[W_K]));
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(keys, a->heads);
    Node *v = split(matmul(keys, w[W_KV]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    Part k = matrix_of(w, W_K);
    factor_scores(f, 1 / sqrt(a->d_k), matrix_of(w, W_Q), k);
    factor_values(values_behind(f, k), 1, matrix_of(w, W_KV),
                  matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "W^K: d_model x h d_k; k = y W^K; "
                "softmax(x W_i^Q split(k, h)' / sqrt(d_k)) k W_i^KV W_i^O",
    .family = "fewer keys",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
