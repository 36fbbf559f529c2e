/* 06-full.c - exercise: no keys.

   One full matrix W_i replaces the pair. What takes the place of the keys?
   It is d_model wide, and the scale depends on that width. `make exercise
   N=06-full` checks it. */
#include <qkv/variant.h>

enum { W, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W, "W", a->d_model, a->heads * a->d_model);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *x_w = split(matmul(x, w[W]), a->heads); /* every x W_i at once */
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, x_w, x, v, 1), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i y' / sqrt(d_model)) y W_i^V W_i^O",
    .shape = "heads d-v",
    .weights = weights,
    .forward = forward,
};
