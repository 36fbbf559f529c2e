/* learned-residual.c - value-residual with learned factors, from 1/2 (Zhou et
   al. 2024, arXiv:2410.17897): the first block declares them and has no use for
   them. */
#include "standard.h"

enum { FIRST = MORE, OWN };

static void
weights(Weights *w, const Attention *a)
{
    standard_weights(w, a);
    weight(w, FIRST, "l_1", 1, 1);
    weight(w, OWN, "l_2", 1, 1);
    initialise(w, FIRST, 0.5, 0);
    initialise(w, OWN, 0.5, 0);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    remember(a, 0, v);
    if (a->layer > 0)
        v = add(hadamard(recall(a, 0, 0), w[FIRST]), hadamard(v, w[OWN]));
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: v = l_1 v of the first layer + l_2 v",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
