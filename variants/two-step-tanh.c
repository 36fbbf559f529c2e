/* two-step-tanh.c - two maps in a row with a tanh between them.

   q_i = tanh(x W^Q) W_i^Q, and likewise k and v. "Imagine a deep network
   without activation functions": this one has one between its two maps, so they
   do not collapse, and no single matrix computes the same. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_IQ, W_IK, W_IV, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->d_model);
    weight(w, W_K, "W^K", a->d_model, a->d_model);
    weight(w, W_V, "W^V", a->d_model, a->d_model);
    weight(w, W_IQ, "W_i^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_IK, "W_i^K", a->d_model, a->heads * a->d_k);
    weight(w, W_IV, "W_i^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = tanh_of(matmul(x, w[W_Q]));
    Node *k = tanh_of(matmul(y, w[W_K]));
    Node *v = tanh_of(matmul(y, w[W_V]));
    Node *q_i = split(matmul(q, w[W_IQ]), a->heads);
    Node *k_i = split(matmul(k, w[W_IK]), a->heads);
    Node *v_i = split(matmul(v, w[W_IV]), a->heads);

    return matmul(attend(a, q_i, k_i, v_i, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(tanh(x W^Q) W_i^Q (tanh(y W^K) W_i^K)' / sqrt(d_k)) "
                "tanh(y W^V) W_i^V W_i^O",
    .family = "more than linear",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
