/* symmetric.c - a learned fourth matrix W, and the scale twice.

   1/sqrt(d_k) softmax(Q K' / sqrt(d_k)) V W', the more symmetric design that a
   reader of the paper proposed. Here W is learned, (d_model x d_v) for each
   head, and the heads are summed: [O_1 ... O_h] [W_1 ... W_h]'. That W' is
   standard's W^O; only the factor in front is new. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_T };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_T, "W^T", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *out = attend(a, q, k, v, 1 / sqrt(a->d_k));

    return scale(matmul(out, w[W_T]), 1 / sqrt(a->d_k));
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    factor_scores(f, 1 / sqrt(a->d_k), matrix_of(w, W_Q), matrix_of(w, W_K));
    factor_values(f, 1 / sqrt(a->d_k), matrix_of(w, W_V), matrix_of(w, W_T));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation =
        "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^T / sqrt(d_k)",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
