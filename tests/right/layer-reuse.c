/* layer-reuse.c - weights of a block used again by the next (Bhojanapalli et
 * al. 2021). */
#include "standard.h"
static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    remember(a, 0, softmax(a, scores(a, q, k, 1 / sqrt(a->d_k))));
    Node *p = recall(a, 0, a->layer / 2 * 2);
    return matmul(apply_weights(a, p, v), w[W_O]);
}
const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: reused: softmax(q k' / sqrt(d_k)) v",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
};
