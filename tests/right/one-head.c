/* one-head.c - heads are a width alone here: one head, as wide as all. */
#include "standard.h"

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = matmul(x, w[W_Q]), *k = matmul(y, w[W_K]), *v = matmul(y, w[W_V]);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->heads * a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: softmax(q k' / sqrt(h d_k)) v",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
};
