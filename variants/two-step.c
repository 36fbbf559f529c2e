/* two-step.c - two linear maps in a row: q = x W^Q, then q_i = q W_i^Q.

   A lecture seems to project once for "self-attention", and once more for each
   head. With nothing between them the two maps collapse into one, W^Q W_i^Q. So
   these are the same functions as standard, with nearly twice as many
   parameters, but they train differently. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_IQ, W_IK, W_IV, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->d_model);
    weight(w, W_K, "W^K", a->d_model, a->d_model);
    weight(w, W_V, "W^V", a->d_model, a->d_model);
    weight(w, W_IQ, "W_i^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_IK, "W_i^K", a->d_model, a->heads * a->d_k);
    weight(w, W_IV, "W_i^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q_i = split(matmul(matmul(x, w[W_Q]), w[W_IQ]), a->heads);
    Node *k_i = split(matmul(matmul(y, w[W_K]), w[W_IK]), a->heads);
    Node *v_i = split(matmul(matmul(y, w[W_V]), w[W_IV]), a->heads);

    return matmul(attend(a, q_i, k_i, v_i, 1 / sqrt(a->d_k)), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    put_identity(w, W_Q), put_identity(w, W_K), put_identity(w, W_V);
    factor_scores(f, 1 / sqrt(a->d_k), matrix_of(w, W_IQ), matrix_of(w, W_IK));
    factor_values(f, 1, matrix_of(w, W_IV), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W^Q W_i^Q (y W^K W_i^K)' / sqrt(d_k)) "
                "y W^V W_i^V W_i^O",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
