/* self-only.c - keys and values are made from x, which is right where y is x,
   and nowhere else: the variant says so. */
#include "standard.h"

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    (void)y;
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(x, w[W_K]), a->heads);
    Node *v = split(matmul(x, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: standard, of one sequence only",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
    .calls = SELF_ONLY,
};
