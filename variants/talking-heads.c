/* talking-heads.c - heads are mixed before and after the softmax.

   Shazeer et al. 2020, arXiv:2003.02436 (the authors' code was read, not the
   paper): P^L mixes the scores of all heads into the logits of each head, and
   P^W mixes the outputs of the softmaxes into the weights of each head. These
   weights may be negative, and need not sum to 1. Each head still has its own
   linear map N_i. With --positions alibi the bias is added before P^L, which
   mixes it; the authors' code adds biases after. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O, P_L, P_W };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
    weight(w, P_L, "P^L", a->heads, a->heads);
    weight(w, P_W, "P^W", a->heads, a->heads);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *logits = mix_heads(scores(a, q, k, 1 / sqrt(a->d_k)), w[P_L]);
    Node *p = mix_heads(softmax(a, logits), w[P_W]);

    return matmul(apply_weights(a, p, v), w[W_O]);
}

/* With both mixings set to the identity, the heads are standard's. */
static void
fit(const Form *f, const Attention *a, Entries *w)
{
    put_identity(w, P_L), put_identity(w, P_W);
    factor_scores(f, 1 / sqrt(a->d_k), matrix_of(w, W_Q), matrix_of(w, W_K));
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "s = x W_i^Q (y W_i^K)' / sqrt(d_k); "
                "mix_heads(softmax(mix_heads(s, P^L)), P^W) y W_i^V W_i^O",
    .family = "mixed heads",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
