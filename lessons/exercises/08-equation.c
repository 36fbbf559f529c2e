/* 08-equation.c - exercise: a fourth matrix from the tokens.

   The equation of symmetric-data, head by head, is

       head_i = softmax(q k' / sqrt(d_k)) (v w' / sqrt(d_k)) y

   with q = x W_i^Q, and k, v, w = y times W_i^K, W_i^V, W_i^W; then come Concat
   and W^O. Write `forward`. <qkv/attend.h> has scores(a, q, k, s) for s q k',
   softmax(a, s), and apply_weights(a, p, v) for p v. v w' has as many columns
   as there are tokens: it is a matrix of weights, too. Mask it with
   mask_zero(a, s), which hides later tokens where the softmax hides them. `make
   exercise N=08-equation` checks it. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_W, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_W, "W^W", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_model, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    (void)a, (void)y, (void)w; /* these lines are yours to replace */
    return x;
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "W_i^V: d_model x d_v; softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) "
                "(y W_i^V (y W_i^W)' / sqrt(d_k)) y W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
