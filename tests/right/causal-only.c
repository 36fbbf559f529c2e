/* causal-only.c - it masks later tokens itself, so it is not for attention
   without a mask, nor for tokens of another sequence: the variant says so. */
#include "standard.h"

static double
earlier(const Attention *a, int head, int query, int key)
{
    (void)a, (void)head;
    return key <= query ? 0 : -INFINITY;
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    double s = 1 / sqrt(a->d_k);

    return matmul(attend_biased(a, q, k, v, s, earlier), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: standard, with a mask of its own",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
    .calls = CAUSAL_ONLY,
};
