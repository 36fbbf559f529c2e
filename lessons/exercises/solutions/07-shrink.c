/* 07-shrink.c - solution: a key without its gauge.

   Choose A so that the first d_k rows of W_i^K become the identity (if they
   form an invertible matrix). Then a key is the token's first d_k columns plus
   its other columns times the other rows of W_i^K. At d_model = 16 this stores
   960 parameters, of which 896 are real: no QK gauge is left. */
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
    Node *first = columns(y, 0, a->d_k);
    Node *rest = columns(y, a->d_k, a->d_model - a->d_k);
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = add(split(matmul(rest, w[R_K]), a->heads), first);
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
