/* fused.c - one packed matrix for Q, K and V, cut into columns.

   The packed in-projection of PyTorch's nn.MultiheadAttention and of GPT-2:
   x [W^Q W^K W^V] in one product. Packing changes only where the
   parameters are stored: the columns are standard's, and so is the function. */
#include <qkv/variant.h>

enum { W_QKV, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_QKV, "W^QKV", a->d_model, a->heads * (2 * a->d_k + a->d_v));
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    int hd_k = a->heads * a->d_k, hd_v = a->heads * a->d_v;
    Node *x_qkv = matmul(x, w[W_QKV]);
    Node *y_qkv = y == x ? x_qkv : matmul(y, w[W_QKV]);
    Node *q = split(columns(x_qkv, 0, hd_k), a->heads);
    Node *k = split(columns(y_qkv, hd_k, hd_k), a->heads);
    Node *v = split(columns(y_qkv, 2 * hd_k, hd_v), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    int hd_k = a->heads * a->d_k, hd_v = a->heads * a->d_v;
    factor_scores(f, 1 / sqrt(a->d_k), columns_of(w, W_QKV, 0, hd_k),
                  columns_of(w, W_QKV, hd_k, hd_k));
    factor_values(f, 1, columns_of(w, W_QKV, 2 * hd_k, hd_v),
                  matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "W^QKV: d_model x h (2 d_k + d_v); "
                "q = split((x W^QKV)[0 : h d_k], h); "
                "k = split((y W^QKV)[h d_k : 2 h d_k], h); "
                "v = split((y W^QKV)[2 h d_k : h (2 d_k + d_v)], h); "
                "softmax(q k' / sqrt(d_k)) v W_i^O",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
