/* shared-kv.c - keys = values: one map where standard has W^K and W^V.

   "Do Transformers Need Three Projections?" (arXiv:2606.04032), Q-K=V: a token
   passes on the same vector by which it is found. A decoder keeps half as much.
   M_i = W_i^Q W_i^KV' and N_i = W_i^KV W_i^O then read the same d_k directions
   of y, but nothing else is lost. With rotary positions the cache has keys
   before their rotation, because values are not rotated. */
#include <qkv/variant.h>

enum { W_Q, W_KV, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_KV, "W^KV", a->d_model, a->heads * a->d_k);
    weight(w, W_O, "W^O", a->heads * a->d_k, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *kv = split(matmul(y, w[W_KV]), a->heads);

    return matmul(attend(a, q, kv, kv, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^KV)' / sqrt(d_k)) y W_i^KV W_i^O",
    .family = "fewer maps",
    .shape = "heads d-k",
    .weights = weights,
    .forward = forward,
};
