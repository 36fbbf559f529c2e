/* gated.c - a sigmoid gate, computed from x, on the output of attend.

   "Gated Attention for Large Language Models" (Qiu et al. 2025,
   arXiv:2505.06708), section 2.2, equation 5: Y' = Y . sigmoid(X W_theta),
   entry by entry, at the position that the paper calls G1: after attention,
   before W^O. The gate is between W^V and W^O, so the two no longer fold into
   N_i. It lets a head return nothing, which a softmax cannot. */
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
    Node *gate = sigmoid(matmul(x, w[W_G]));
    Node *out = attend(a, q, k, v, 1 / sqrt(a->d_k));

    return matmul(hadamard(out, gate), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "(softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V . "
                "sigmoid(x W_i^G)) W_i^O",
    .family = "more than linear",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
