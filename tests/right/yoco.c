/* yoco.c - the upper half has the keys and values of the middle block (Sun et
   al. 2024, arXiv:2405.05254), also where that is the only one. */
#include "standard.h"

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    int middle = (a->layers - 1) / 2;
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    remember(a, 0, k);
    remember(a, 1, v);
    if (a->layer > middle) {
        k = recall(a, 0, middle);
        v = recall(a, 1, middle);
    }
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: "
                "standard, with k and v of the middle block in those after it",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
};
