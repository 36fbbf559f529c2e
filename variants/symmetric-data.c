/* symmetric-data.c - a fourth matrix computed from the tokens, like Q, K and V.

   A reader of the paper proposed AttentionAlt(Q, K, V, W) =
   1/sqrt(d_k) softmax(Q K' / sqrt(d_k)) V W'. Here W = y W^W is computed from
   the tokens, as Q, K and V are; in symmetric it is learned. Then G = V W' is
   tokens x tokens: a second matrix of weights, but not from a softmax. It is
   applied to the tokens y before the softmax P is; a causal G is zero above its
   diagonal. With --positions rope or alibi, V and W are rotated, or G is
   biased, like the scores. */
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
    .equation = "W_i^V: d_model x d_v; "
                "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) "
                "(y W_i^V (y W_i^W)' / sqrt(d_k)) y W_i^O",
    .family = "other weights",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
