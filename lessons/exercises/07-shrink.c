/* 07-shrink.c - exercise: a key without its gauge.

   W_i^K may be multiplied by any invertible matrix if W_i^Q undoes it. So its
   first d_k rows can be the identity, which need not be stored: a key is the
   first d_k columns of the token plus the other columns times R_i^K. Here the
   token's first columns are missing. `make exercise N=07-shrink` checks it. */
#include <qkv/variant.h>
enum { W_Q, R_K, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, R_K, "R^K", a->d_model - a->d_k, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *rest = columns(y, a->d_k, a->d_model - a->d_k);
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(rest, w[R_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "R_i^K: (d_model - d_k) x d_k; "
                "k = y[0 : d_k] + y[d_k : d_model] R_i^K; "
                "softmax(x W_i^Q k' / sqrt(d_k)) y W_i^V W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
