/* 33-gate.c - exercise: a gate that lets a head return nothing.

   The gate is made from the token that is looking, x, and multiplies what
   attend returns. Here it is made from y, and multiplies the values. `make
   exercise N=33-gate` checks it. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_G, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_G, "W^G", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *gate = sigmoid(matmul(y, w[W_G]));
    Node *out = attend(a, q, k, hadamard(v, gate), 1 / sqrt(a->d_k));

    return matmul(out, w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "(softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V . "
                "sigmoid(x W_i^G)) W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
