/* sigmoid.c - sigmoid instead of softmax (Ramapuram et al. 2024), masked
 * afterwards. */
#include "standard.h"
static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    return matmul(
        apply_weights(
            a, mask_zero(a, sigmoid(scores(a, q, k, 1 / sqrt(a->d_k)))), v),
        w[W_O]);
}
const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: sigmoid",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
};
