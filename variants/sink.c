/* sink.c - a learned extra logit for each head, whose weight reads no token.

   The weights of a softmax must sum to 1. If a head has nothing to look at,
   trained models give most of it to the first token (Xiao et al. 2023,
   "Efficient Streaming Language Models with Attention Sinks",
   arXiv:2309.17453). Here the denominator has one more term, e^b_i, as in
   gpt-oss (OpenAI 2025), so the weights of tokens may sum to less. It is
   initialised to b_i = 0: that is the "softmax off by one" of Miller 2023,
   which Xiao et al. call a zero sink. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O, SINK };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
    weight(w, SINK, "b", 1, a->heads);
    initialise(w, SINK, 0, 0);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *p = softmax_sink(a, scores(a, q, k, 1 / sqrt(a->d_k)), w[SINK]);

    return matmul(apply_weights(a, p, v), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k), b_i) y W_i^V W_i^O",
    .family = "other weights",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
