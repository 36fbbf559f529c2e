/* ssmax.c - Scalable-Softmax (Nakanishi 2025, arXiv:2501.19399): scores grow
   with the logarithm of how many keys there are, by a learned factor for each
   head. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O, S };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
    weight(w, S, "s", 1, a->heads);
    initialise(w, S, 1, 0);
}

/* The logarithm of how many keys are up to the query's own position. */
static double
seen(const Attention *a, int head, int query, int key)
{
    (void)a, (void)head, (void)key;
    return log(query + 1.);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *s = scores(a, q, k, 1 / sqrt(a->d_k));
    Node *n = fixed_bias(a, scale(s, 0), seen);

    s = hadamard(hadamard(s, split(w[S], a->heads)), n);
    return matmul(apply_weights(a, softmax(a, s), v), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: softmax(s_i log(n) q k' / sqrt(d_k)) v",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
