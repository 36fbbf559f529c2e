/* 13-latent.c - exercise: through a narrow middle.

   c is all that a decoder keeps of a token. Keys and values are made from c
   by two different maps; here both use the same one. `make exercise
   N=13-latent` checks it. */
#include <qkv/variant.h>

enum { W_Q, W_DKV, W_UK, W_UV, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_DKV, "W^DKV", a->d_model, a->latent);
    weight(w, W_UK, "W^UK", a->latent, a->heads * a->d_k);
    weight(w, W_UV, "W^UV", a->latent, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *c = cached(matmul(y, w[W_DKV]));
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(c, w[W_UV]), a->heads);
    Node *v = split(matmul(c, w[W_UV]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "W^DKV: d_model x latent; c = y W^DKV; "
                "softmax(x W_i^Q (c W_i^UK)' / sqrt(d_k)) c W_i^UV W_i^O",
    .shape = "heads d-k d-v latent",
    .weights = weights,
    .forward = forward,
};
