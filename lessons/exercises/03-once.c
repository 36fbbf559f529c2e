/* 03-once.c - exercise: two maps, one product.

   The weights are those of two-step. Compute the same function, but send each
   token through one map per role: multiply the two matrices first. Change the
   three marked lines; `make exercise N=03-once` checks them. */
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
    Node *once_q = w[W_IQ]; /* here */
    Node *once_k = w[W_IK]; /* here */
    Node *once_v = w[W_IV]; /* and here */
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
