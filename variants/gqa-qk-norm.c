/* gqa-qk-norm.c - gqa with the norms of qk-norm: the attention of Qwen3.

   "Qwen3 Technical Report" (2025, arXiv:2505.09388), section 2: grouped keys
   and values, no biases, RMSNorm with a gain on each head's query and key, and
   rotary positions. (--positions rope has the base 10,000, Qwen3 1,000,000.) So
   it has both: a small cache, and bounded scores. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O, G_Q, G_K };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->kv_heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->kv_heads * a->d_v);
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
    Node *k = rms_norm(split(matmul(y, w[W_K]), a->kv_heads), 1e-6);
    Node *v = split(matmul(y, w[W_V]), a->kv_heads);

    q = hadamard(q, w[G_Q]);
    k = hadamard(k, w[G_K]);
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "q = rms(x W_i^Q) . g^Q; k = rms(y W_g^K) . g^K; "
                "softmax(q k' / sqrt(d_k)) y W_g^V W_i^O",
    .family = "more than linear",
    .shape = "heads kv-heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
