/* sink-bias.c - a bias of keys, which is real only because of the sink. */
#include "standard.h"

enum { B_K = W_O + 1 };

static void
weights(Weights *w, const Attention *a)
{
    standard_weights(w, a);
    weight(w, B_K, "b^K", 1, a->heads * a->d_k);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(add(matmul(y, w[W_K]), w[B_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *p = softmax_sink(a, scores(a, q, k, 1 / sqrt(a->d_k)), NULL);

    return matmul(apply_weights(a, p, v), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: q_i (k_i + b_i^K)', off by one",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
