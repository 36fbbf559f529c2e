/* no-wv-wo.c - W^V = W^O = I: head i copies the i-th slice of a token.

   "Simplifying Transformer Blocks" (arXiv:2311.01906), section 4.2, does this
   in blocks whose attention has no residual and starts near the identity. There
   it costs nothing; with a residual the paper finds that it does, so use
   --residual no. The scores keep their maps, so half of standard's parameters
   are left, and N_i copies d_model / heads coordinates to where they were. */
#include <qkv/variant.h>

enum { W_Q, W_K };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(y, a->heads);

    return attend(a, q, k, v, 1 / sqrt(a->d_k));
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    factor_scores(f, 1 / sqrt(a->d_k), matrix_of(w, W_Q), matrix_of(w, W_K));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y I_i I_i'",
    .family = "fewer maps",
    .shape = "heads d-k",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
