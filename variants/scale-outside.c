/* scale-outside.c - 1/sqrt(d_k) after the softmax instead of before it.

   "I think the scaling constant needs to go inside the softmax", says a forum
   thread: this is what happens if it does not. A smaller W^Q and a larger W^O
   make up for that, so these are the same functions as standard. But if d_k is
   large, the softmax is saturated at initialisation. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *out = attend(a, q, k, v, 1);

    return scale(matmul(out, w[W_O]), 1 / sqrt(a->d_k));
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    factor_scores(f, 1, matrix_of(w, W_Q), matrix_of(w, W_K));
    factor_values(f, 1 / sqrt(a->d_k), matrix_of(w, W_V), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^K)') y W_i^V W_i^O / sqrt(d_k)",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
