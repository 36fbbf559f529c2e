/* flamingo.c - a gate in cross-attention only, closed at first (Alayrac et al.
   2022, as in Llama 3.2 Vision), and a gain in causal attention only. */
#include "standard.h"

enum { ALPHA = MORE, G };

static void
weights(Weights *w, const Attention *a)
{
    standard_weights(w, a);
    weight(w, ALPHA, "alpha", 1, 1);
    initialise(w, ALPHA, 0, 0);
    weight(w, G, "g", 1, a->d_model);
    initialise(w, G, 1, 0);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *out = matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);

    if (x != y)
        return hadamard(out, tanh_of(w[ALPHA]));
    return a->causal ? hadamard(out, w[G]) : out;
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: standard; times tanh(alpha) in cross-attention",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
