/* 03-once.c - solution: two maps, one product.

   (x W^Q) W_i^Q = x (W^Q W_i^Q). */
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
    Node *once_q = matmul(w[W_Q], w[W_IQ]);
    Node *once_k = matmul(w[W_K], w[W_IK]);
    Node *once_v = matmul(w[W_V], w[W_IV]);
    Node *q_i = split(matmul(x, once_q), a->heads);
    Node *k_i = split(matmul(y, once_k), a->heads);
    Node *v_i = split(matmul(y, once_v), a->heads);

    return matmul(attend(a, q_i, k_i, v_i, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x (W^Q W_i^Q) (y (W^K W_i^K))' / sqrt(d_k)) "
                "y (W^V W_i^V) W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
