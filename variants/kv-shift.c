/* kv-shift.c - keys and values mixed with those of the previous token.

   "KV Shifting Attention Enhances Language Modeling" (Xu et al. 2024,
   arXiv:2411.19574), equations 4 to 6 and appendix F. Finding the token that
   followed an earlier copy of this one takes two layers of standard attention.
   Here it takes one, because a key may come from the previous token (alpha_2)
   while the value comes from the token itself (beta_1). The paper draws alpha_1
   and beta_1 from U(0, 1) and chooses the other two so that each pair sums to
   1; here all four are initialised to 1/2. Only the ratio within each pair is a
   real parameter, because W^K and W^V can absorb a common factor. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O, ALPHA_1, ALPHA_2, BETA_1, BETA_2 };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
    weight_each(w, ALPHA_1, 2, "alpha_i", 1, a->heads);
    weight_each(w, BETA_1, 2, "beta_i", 1, a->heads);
    for (int i = ALPHA_1; i <= BETA_2; i++)
        initialise(w, i, 0.5, 0);
}

/* For each token t and each head: factor[0] n_t + factor[1] n_(t-1). */
static Node *
mixed(Node *n, int heads, Node **factor)
{
    Node *own = hadamard(split(n, heads), split(factor[0], heads));
    Node *previous = shift(split(n, heads), 1);
    return add(own, hadamard(previous, split(factor[1], heads)));
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = mixed(cached(matmul(y, w[W_K])), a->heads, w + ALPHA_1);
    Node *v = mixed(cached(matmul(y, w[W_V])), a->heads, w + BETA_1);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation =
        "alpha_1i: 1 x 1; alpha_2i: 1 x 1; beta_1i: 1 x 1; beta_2i: 1 x 1; "
        "k = cached(y W_i^K); k_s = k . alpha_1i + shift(k, 1) . alpha_2i; "
        "v = cached(y W_i^V); v_s = v . beta_1i + shift(v, 1) . beta_2i; "
        "softmax(x W_i^Q k_s' / sqrt(d_k)) v_s W_i^O",
    .family = "more than linear",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
