/* shared-qk.c - W^K = W^Q: one map for queries and keys.

   "Q and K are completely symmetrical with one another", says a forum
   thread. If they were, this would lose nothing. But M_i = W_i W_i' is
   symmetric and positive semi-definite: two tokens give each other the same
   score, and it is never above the mean of their scores with themselves. */
#include <qkv/variant.h>

enum { W_QK, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_QK, "W^QK", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_QK]), a->heads);
    Node *k = y == x ? q : split(matmul(y, w[W_QK]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    factor_symmetric(f, 1 / sqrt(a->d_k), matrix_of(w, W_QK));
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^QK (y W_i^QK)' / sqrt(d_k)) y W_i^V W_i^O",
    .family = "fewer maps",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
