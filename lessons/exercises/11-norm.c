/* 11-norm.c - exercise: a norm between the two maps.

   Each head's query and key should be normalised over its own d_k columns.
   Here all heads are normalised together. Correct it; `make exercise N=11-norm`
   checks it. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O, G_Q, G_K };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
    weight(w, G_Q, "g^Q", 1, a->d_k);
    weight(w, G_K, "g^K", 1, a->d_k);
    initialise(w, G_Q, 1, 0);
    initialise(w, G_K, 1, 0);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(rms_norm(matmul(x, w[W_Q]), 1e-6), a->heads);
    Node *k = split(rms_norm(matmul(y, w[W_K]), 1e-6), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    q = hadamard(q, w[G_Q]);
    k = hadamard(k, w[G_K]);
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "q = rms(x W_i^Q) . g^Q; k = rms(y W_i^K) . g^K; "
                "softmax(q k' / sqrt(d_k)) y W_i^V W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
