/* alibi.c - ALiBi (Press et al. 2022): scores fall with distance, by a slope
   for each head. */
#include <stdlib.h>

#include "standard.h"

static double
slope(const Attention *a, int head, int query, int key)
{
    return -exp2(-8. * (head + 1) / a->heads) * abs(query - key);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *o = attend_biased(a, q, k, v, 1 / sqrt(a->d_k), slope);

    return matmul(o, w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: softmax(q_i k_i' / sqrt(d_k) - m_i |t - s|) v_i",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
};
