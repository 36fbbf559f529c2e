/* per-head.c - the paper's formula taken literally: a loop over the heads.

   "Attention Is All You Need", section 3.2.2:
       MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O
       head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
   with Q = x and K = V = y, the tokens themselves, so each of q, k and v takes
   one map, not two. It is the same function as standard, with h small products
   instead of each large one. */
#include <qkv/variant.h>

static void
weights(Weights *w, const Attention *a)
{
    int h = a->heads; /* of each map there are h matrices, then one W^O */
    weight_each(w, 0, h, "W_i^Q", a->d_model, a->d_k);
    weight_each(w, h, h, "W_i^K", a->d_model, a->d_k);
    weight_each(w, 2 * h, h, "W_i^V", a->d_model, a->d_v);
    weight(w, 3 * h, "W^O", h * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    int h = a->heads;
    Node **w_q = w, **w_k = w + h, **w_v = w + 2 * h, *w_o = w[3 * h];
    Node *head[h];

    for (int i = 0; i < h; i++)
        head[i] = attend(a, matmul(x, w_q[i]), matmul(y, w_k[i]),
                         matmul(y, w_v[i]), 1 / sqrt(a->d_k));
    return matmul(concat(head, h), w_o);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    int h = a->heads;
    for (int i = 0; i < h; i++) {
        const Form *head = one_head(f, i);
        factor_scores(head, 1 / sqrt(a->d_k), matrix_of(w, i),
                      matrix_of(w, h + i));
        factor_values(head, 1, matrix_of(w, 2 * h + i),
                      rows_of(w, 3 * h, i * a->d_v, a->d_v));
    }
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^O, "
                "where each W_i^Q, W_i^K and W_i^V is stored alone",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
