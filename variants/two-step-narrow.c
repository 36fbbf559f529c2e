/* two-step-narrow.c - two linear maps in a row, with a narrow middle.

   Another reading of the lecture of two-step: q = x W^Q has the width d_k of
   one head, and every head makes its own query from it, q_i = q W_i^Q. The two
   maps still merge, into one of rank d_k. But all heads then read the same d_k
   directions of a token. This is a real restriction: two-step has the same
   functions as standard, and this has fewer. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_IQ, W_IK, W_IV, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->d_v);
    weight(w, W_IQ, "W_i^Q", a->d_k, a->heads * a->d_k);
    weight(w, W_IK, "W_i^K", a->d_k, a->heads * a->d_k);
    weight(w, W_IV, "W_i^V", a->d_v, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q_i = split(matmul(matmul(x, w[W_Q]), w[W_IQ]), a->heads);
    Node *k_i = split(matmul(matmul(y, w[W_K]), w[W_IK]), a->heads);
    Node *v_i = split(matmul(matmul(y, w[W_V]), w[W_IV]), a->heads);

    return matmul(attend(a, q_i, k_i, v_i, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "W^Q: d_model x d_k; W^K: d_model x d_k; W^V: d_model x d_v; "
                "softmax(x W^Q W_i^Q (y W^K W_i^K)' / sqrt(d_k)) "
                "y W^V W_i^V W_i^O",
    .family = "low rank",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
