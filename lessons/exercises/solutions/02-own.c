/* 02-own.c - solution: a matrix for each head.

   w_q[i], w_k[i], w_v[i] are those of head i. */
#include <qkv/variant.h>

static void
weights(Weights *w, const Attention *a)
{
    int h = a->heads;
    weight_each(w, 0 * h, h, "W_i^Q", a->d_model, a->d_k);
    weight_each(w, 1 * h, h, "W_i^K", a->d_model, a->d_k);
    weight_each(w, 2 * h, h, "W_i^V", a->d_model, a->d_v);
    weight(w, 3 * h, "W^O", h * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    int h = a->heads;
    Node **w_q = w, **w_k = w + h, **w_v = w + 2 * h, *w_o = w[3 * h];
    Node *head[h];

    for (int i = 0; i < h; i++)
        head[i] = attend(a, matmul(x, w_q[i]), matmul(y, w_k[i]),
                         matmul(y, w_v[i]), 1 / sqrt(a->d_k));
    return matmul(concat(head, h), w_o);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: Concat(head_i) W^O, heads as in standard, one by one",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
