/* streaming.c - a window, and the first tokens besides (Xiao et al. 2023,
   arXiv:2309.17453): a few tokens are too short to see that `sinks` matters. */
#include "standard.h"

/* `ahead` tokens are seen where no mask is asked for. */
static double
hidden(const Attention *a, int head, int query, int key)
{
    (void)head;
    int near = query - key < setting(a, "window") &&
               key - query <= setting(a, "ahead");
    return near || key < setting(a, "sinks") ? 0 : -INFINITY;
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    double s = 1 / sqrt(a->d_k);

    return matmul(attend_biased(a, q, k, v, s, hidden), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: standard, of the window and the first tokens",
    .shape = "heads d-k d-v",
    .settings = "window=4 sinks=1 ahead=2",
    .weights = standard_weights,
    .forward = forward,
};
