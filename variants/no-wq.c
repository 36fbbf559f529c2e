/* no-wq.c - W^Q = I: head i's query is the i-th slice of the token itself.

   arXiv:2510.23912 leaves W^Q out. If W^Q is an invertible square matrix A, the
   tokens x A need no W^Q: multiply the embedding and all maps that write tokens
   by A, and all maps that read tokens by A^-1. Residuals make all layers share
   a basis, so only one layer can lose its W^Q without loss, and with LayerNorm
   none can. In the other layers M_i reads only d_model / heads coordinates of
   x. The authors' code scales by 1 / (2 sqrt(d_k)). */
#include <qkv/variant.h>

enum { W_K, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_K, "W^K", a->d_model, a->d_model);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(x, a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    double d_k = a->d_model / a->heads; /* the width of a slice */

    return matmul(attend(a, q, k, v, 1 / sqrt(d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x I_i (y W_i^K)' / sqrt(d_model / h)) y W_i^V W_i^O",
    .family = "fewer maps",
    .shape = "heads d-v",
    .weights = weights,
    .forward = forward,
};
