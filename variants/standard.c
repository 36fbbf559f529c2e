/* standard.c - multi-head attention, as everybody runs it.

   "Attention Is All You Need" (Vaswani et al. 2017), section 3.2.2, with the
   maps of all heads side by side in one matrix: x [W_1^Q ... W_h^Q] is every
   head's query at once. Head i's scores are x (W_i^Q W_i^K') y' / sqrt(d_k), a
   product of rank d_k at most; its output is a weighted sum of y (W_i^V W_i^O).
 */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O };

/* Declares each matrix: its index, name, rows and columns. */
static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

/* The equation. Queries come from x, keys and values from y, a token a row; the
   result has the shape of x. */
static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

/* Optional: fills the matrices so that each head computes the same as a head of
   another variant. If you change forward, change it too. */
static void
fit(const Form *f, const Attention *a, Entries *w)
{
    factor_scores(f, 1 / sqrt(a->d_k), matrix_of(w, W_Q), matrix_of(w, W_K));
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^O",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
