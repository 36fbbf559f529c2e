/* norm-after.c - RMSNorm of each head's output (Sun et al. 2023, RetNet). */
#include "standard.h"

enum { GAIN = MORE };

static void
weights(Weights *w, const Attention *a)
{
    standard_weights(w, a);
    weight(w, GAIN, "g", 1, a->d_v);
    initialise(w, GAIN, 1, 0);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    Node *o = rms_norm(attend(a, q, k, v, 1 / sqrt(a->d_k)), 1e-6);

    return matmul(hadamard(o, w[GAIN]), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: g . RMSNorm(softmax(q_i k_i' / sqrt(d_k)) v_i)",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
