/* qk-norm.c - queries and keys are normalised before they meet.

   Henry et al. 2020, arXiv:2010.04245, scale both to length 1 and learn the
   scale of their product. Dehghani et al. 2023, arXiv:2302.05442, section 2 (as
   others quote it), keep 1/sqrt(d_k) and use LayerNorm. Qwen3 uses RMSNorm, as
   here, over the columns of each head, with a gain that the heads share. (OLMo
   2 normalises all heads together.) However large W^Q and W^K grow, a score is
   at most sqrt(d_k) times the largest product of two gains. Only these products
   of g^Q and g^K matter, unless q and k are rotated. The norms are between W^Q
   and W^K, so the two no longer fold into M_i. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O, G_Q, G_K };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
    weight(w, G_Q, "g^Q", 1, a->d_k);
    weight(w, G_K, "g^K", 1, a->d_k);
    initialise(w, G_Q, 1, 0);
    initialise(w, G_K, 1, 0);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = rms_norm(split(matmul(x, w[W_Q]), a->heads), 1e-6);
    Node *k = rms_norm(split(matmul(y, w[W_K]), a->heads), 1e-6);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    q = hadamard(q, w[G_Q]);
    k = hadamard(k, w[G_K]);
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "q = rms(x W_i^Q) . g^Q; k = rms(y W_i^K) . g^K; "
                "softmax(q k' / sqrt(d_k)) y W_i^V W_i^O",
    .family = "more than linear",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
