/* mfa.c - many wide queries from one narrow middle; one key, one value.

   Multi-matrix factorization attention (Hu et al. 2024, arXiv:2412.19255,
   section 3; a summary with its equations was read, not the paper):
   q_i = x S^Q Q_i, k = y S^K, v = y S^V, all as wide as the middle, C = latent.
   One more head costs C^2 + C d_model parameters and nothing in the cache, so a
   model can have many heads, each of rank C: M_i = S^Q Q_i S^K'. The model
   Step-3 has a middle of 2048 for heads of 256, and a norm after S^Q, which is
   left out here. The scale is from its code; the paper has 1/sqrt(d). */
#include <qkv/variant.h>

enum { S_Q, Q, S_K, S_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, S_Q, "S^Q", a->d_model, a->latent);
    weight(w, Q, "Q", a->latent, a->heads * a->latent);
    weight(w, S_K, "S^K", a->d_model, a->latent);
    weight(w, S_V, "S^V", a->d_model, a->latent);
    weight(w, W_O, "W^O", a->heads * a->latent, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(matmul(x, w[S_Q]), w[Q]), a->heads);
    Node *k = matmul(y, w[S_K]);
    Node *v = matmul(y, w[S_V]);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->latent)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "S^Q: d_model x latent; S^V: d_model x latent; "
                "softmax(x S^Q Q_i (y S^K)' / sqrt(latent)) y S^V W_i^O",
    .family = "low rank",
    .shape = "heads latent",
    .weights = weights,
    .forward = forward,
};
