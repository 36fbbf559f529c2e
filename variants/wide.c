/* wide.c - W_i^Q and W_i^K both d_model x d_model, for every head.

   As in arXiv:1906.07510, which keeps the two matrices of "Attention Is All You
   Need" but not their widths. The product W_i^Q W_i^K' can have any rank, like
   the one matrix of full-rank, and takes twice as many parameters: two factors
   change the training, not the functions. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_model);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_model);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_model)), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    factor_scores(f, 1 / sqrt(a->d_model), matrix_of(w, W_Q),
                  matrix_of(w, W_K));
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^K)' / sqrt(d_model)) y W_i^V W_i^O",
    .family = "full rank",
    .shape = "heads d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
