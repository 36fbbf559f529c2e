/* twice.c - keys that have attended themselves: attention twice in one layer,
   with one set of maps. */
#include "standard.h"

static Node *
once(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    return once(a, x, add(y, once(a, y, y, w)), w);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: A(x, y + A(y, y)) for A of standard",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
};
