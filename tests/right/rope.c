/* rope.c - rotated queries and keys (Su et al. 2021, RoFormer), after their
   norm (Henry et al. 2020) with a gain. */
#include "standard.h"

enum { G_Q = MORE, G_K };

static void
weights(Weights *w, const Attention *a)
{
    standard_weights(w, a);
    weight(w, G_Q, "g^Q", 1, a->d_k);
    weight(w, G_K, "g^K", 1, a->d_k);
    initialise(w, G_Q, 1, 0);
    initialise(w, G_K, 1, 0);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = rms_norm(split(matmul(x, w[W_Q]), a->heads), 1e-6);
    Node *k = rms_norm(split(matmul(y, w[W_K]), a->heads), 1e-6);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    q = rotate(a, hadamard(q, w[G_Q]), 10000);
    k = rotate(a, hadamard(k, w[G_K]), 10000);
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: softmax(R_t g . |q_i| (R_s g . |k_i|)' / sqrt(d_k)) v_i",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
