/* mla.c - keys and values in two steps, through a narrow middle.

   Multi-head latent attention, DeepSeek-V2 (2024, arXiv:2405.04434), section
   2.1.2, equations 9 to 11: c = y W^DKV is all that a decoder keeps of a token;
   k and v are made from it. Here two maps in a row are not redundant, because
   the middle is narrower than either end. mla-rope also has the paper's rotary
   part, its share of the scale, its norms and the narrow middle of the queries.
 */
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
    Node *k = split(matmul(c, w[W_UK]), a->heads);
    Node *v = split(matmul(c, w[W_UV]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    const Form *of_c = through(f, matrix_of(w, W_DKV));
    factor_scores(of_c, 1 / sqrt(a->d_k), matrix_of(w, W_Q),
                  matrix_of(w, W_UK));
    factor_values(of_c, 1, matrix_of(w, W_UV), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "W^DKV: d_model x latent; c = y W^DKV; "
                "softmax(x W_i^Q (c W_i^UK)' / sqrt(d_k)) c W_i^UV W_i^O",
    .family = "low rank",
    .shape = "heads d-k d-v latent",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
