/* some-blocks.c - every third block has no attention; and a setting that says
   only how large W^O is at the start. */
#include "standard.h"

static void
weights(Weights *w, const Attention *a)
{
    standard_weights(w, a);
    initialise(w, W_O, 0, setting(a, "start") / (1 + a->layer));
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    if (a->layer % 3 == 2)
        return scale(x, 0);
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: standard, but 0 in every third block",
    .shape = "heads d-k d-v",
    .settings = "start=0.02",
    .weights = weights,
    .forward = forward,
};
