/* shared-qkv.c - queries = keys = values: one map for all three.

   "Do Transformers Need Three Projections?" (arXiv:2606.04032), Q=K=V. (Its
   Q=K=V+ adds to the scores a bias made from positions.) It has half of
   standard's parameters, and the limits of shared-qk and of shared-kv:
   M_i = W_i W_i' is symmetric, and values read the same directions of y as
   scores. */
#include <qkv/variant.h>

enum { W, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W, "W", a->d_model, a->heads * a->d_k);
    weight(w, W_O, "W^O", a->heads * a->d_k, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W]), a->heads);
    Node *kv = y == x ? q : split(matmul(y, w[W]), a->heads);

    return matmul(attend(a, q, kv, kv, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i (y W_i)' / sqrt(d_k)) y W_i W_i^O",
    .family = "fewer maps",
    .shape = "heads d-k",
    .weights = weights,
    .forward = forward,
};
