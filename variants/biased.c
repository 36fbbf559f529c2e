/* biased.c - standard with a bias in each of its four maps, as in GPT-2.

   Two of the four biases add no function. b^K adds q_i b^K', the same number
   for every key, to all scores of a query, and that does not change a softmax;
   so its gradient is exactly 0 unless q and k are rotated. b^V adds b^V W^O to
   every token, because the weights of a row sum to 1; b^O can do that too. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O, B_Q, B_K, B_V, B_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
    weight(w, B_Q, "b^Q", 1, a->heads * a->d_k);
    weight(w, B_K, "b^K", 1, a->heads * a->d_k);
    weight(w, B_V, "b^V", 1, a->heads * a->d_v);
    weight(w, B_O, "b^O", 1, a->d_model);
    for (int i = B_Q; i <= B_O; i++) /* every bias starts as zeros */
        initialise(w, i, 0, 0);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(add(matmul(x, w[W_Q]), w[B_Q]), a->heads);
    Node *k = split(add(matmul(y, w[W_K]), w[B_K]), a->heads);
    Node *v = split(add(matmul(y, w[W_V]), w[B_V]), a->heads);
    Node *out = attend(a, q, k, v, 1 / sqrt(a->d_k));

    return add(matmul(out, w[W_O]), w[B_O]);
}

/* The biases of keys and values stay 0, which loses nothing. */
static void
fit(const Form *f, const Attention *a, Entries *w)
{
    factor_biased_scores(f, 1 / sqrt(a->d_k), matrix_of(w, W_Q),
                         matrix_of(w, B_Q), matrix_of(w, W_K));
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
    put_constant(f, matrix_of(w, B_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax((x W_i^Q + b_i^Q) (y W_i^K + b_i^K)' / sqrt(d_k)) "
                "(y W_i^V + b_i^V) W_i^O + b^O",
    .family = "with biases",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
