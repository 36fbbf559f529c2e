/* full-rank.c - one full matrix W_i instead of the pair W_i^Q W_i^K'.

   Q K' = x W_i^Q W_i^K' y' = x W_i y': why not learn W_i itself? It has
   d_model^2 parameters per head where the pair has 2 d_model d_k, and its rank
   is not limited. There are no keys: a score is the dot product of x W_i with
   the token y itself, of width d_model, so the scale is 1/sqrt(d_model). */
#include <qkv/variant.h>

enum { W, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W, "W", a->d_model, a->heads * a->d_model);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *x_w = split(matmul(x, w[W]), a->heads); /* every x W_i at once */
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, x_w, y, v, 1 / sqrt(a->d_model)), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    put_scores(f, 1 / sqrt(a->d_model), matrix_of(w, W));
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i y' / sqrt(d_model)) y W_i^V W_i^O",
    .family = "full rank",
    .shape = "heads d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
