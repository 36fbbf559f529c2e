/* 05-columns.c - exercise: cut the packed matrix.

   One product makes q, k and v side by side. Here all three are cut from the
   same columns; cut each from its own. `make exercise N=05-columns` checks
   it. */
#include <qkv/variant.h>

enum { W_QKV, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_QKV, "W^QKV", a->d_model, a->heads * (2 * a->d_k + a->d_v));
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    int d_q = a->heads * a->d_k, d_v = a->heads * a->d_v;
    Node *x_qkv = matmul(x, w[W_QKV]);
    Node *y_qkv = y == x ? x_qkv : matmul(y, w[W_QKV]);
    Node *q = split(columns(x_qkv, 0, d_q), a->heads);
    Node *k = split(columns(y_qkv, 0, d_q), a->heads);
    Node *v = split(columns(y_qkv, 0, d_v), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "W^QKV: d_model x h (2 d_k + d_v); "
                "q = split((x W^QKV)[0 : h d_k], h); "
                "k = split((y W^QKV)[h d_k : 2 h d_k], h); "
                "v = split((y W^QKV)[2 h d_k : h (2 d_k + d_v)], h); "
                "softmax(q k' / sqrt(d_k)) v W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
