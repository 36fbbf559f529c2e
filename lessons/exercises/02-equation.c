/* 02-equation.c - exercise: forward from its equation.

   Page 5 of the paper says

       head_i = softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V
       result = Concat(head_1, ..., head_h) W^O

   Write `forward`. W^Q holds the W_i^Q of all heads side by side, and so do W^K
   and W^V. You need matmul, split and attend (lesson 00 explains them), and
   sqrt of C. `make exercise N=02-equation` checks it. */
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
    (void)a, (void)y, (void)w; /* these lines are yours to replace */
    return x;
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
