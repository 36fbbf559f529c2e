/* heads.c - standard.c, fitted a head at a time. It is right: the faults of
   faults.tsv are edits of it. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

static void
fit(const Form *f, const Attention *a, Entries *w)
{
    for (int i = 0; i < a->heads; i++) {
        const Form *head = one_head(f, i);
        factor_scores(head, 1 / sqrt(a->d_k),
                      columns_of(w, W_Q, i * a->d_k, a->d_k),
                      columns_of(w, W_K, i * a->d_k, a->d_k));
        factor_values(head, 1, columns_of(w, W_V, i * a->d_v, a->d_v),
                      rows_of(w, W_O, i * a->d_v, a->d_v));
    }
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: right",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
