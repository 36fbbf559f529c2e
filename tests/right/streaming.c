/* streaming.c - a window, and the first tokens besides (Xiao et al. 2023,
   arXiv:2309.17453): a few tokens are too short to see that `sinks` matters. */
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
    .equation = "standard, of the window and the first tokens",
    .shape = "heads d-k d-v",
    .settings = "window=4 sinks=1 ahead=2",
    .weights = weights,
    .forward = forward,
};
