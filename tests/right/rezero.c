/* rezero.c - a learned factor that starts as 0 (Bachlechner et al. 2020). */
#include "standard.h"
enum { A = MORE };

static void
weights(Weights *w, const Attention *a)
{
    standard_weights(w, a);
    weight(w, A, "alpha", 1, 1);
    initialise(w, A, 0, 0);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    return hadamard(matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]), w[A]);
}
const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: rezero",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
