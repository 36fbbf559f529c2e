/* mla-absorbed.c - mla with W^UK folded into W^Q and W^UV into W^O.

   DeepSeek-V2 (2024, arXiv:2405.04434), section 2.1.2, does this to decode:
   q (c W^UK)' = (q W^UK') c', so in every head the latent c = y W^DKV is both
   key and value, and no keys are computed. Every mla can be written like this.
   If the latent is wider than d_k, this can do more: the rank of M_i is then
   not limited to d_k. */
#include <qkv/variant.h>

enum { W_Q, W_DKV, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->latent);
    weight(w, W_DKV, "W^DKV", a->d_model, a->latent);
    weight(w, W_O, "W^O", a->heads * a->latent, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *c = matmul(y, w[W_DKV]);
    Node *q = split(matmul(x, w[W_Q]), a->heads);

    return matmul(attend(a, q, c, c, 1 / sqrt(a->latent)), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    const Form *of_c = through(f, matrix_of(w, W_DKV));
    put_scores(of_c, 1 / sqrt(a->latent), matrix_of(w, W_Q));
    put_values(of_c, 1, matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W^DKV)' / sqrt(latent)) y W^DKV W_i^O",
    .family = "low rank",
    .shape = "heads latent",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
