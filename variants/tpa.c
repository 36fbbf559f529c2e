/* tpa.c - queries, keys and values as sums of outer products.

   Tensor product attention (Zhang et al. 2025, arXiv:2501.06425, section 3.1,
   equations 3.1 and 3.2). The queries of a token x in all heads, (h x d_k), are
   A(x)' B(x) / R, with the rows of x A^Q cut into A(x) (R x h) and those of x
   B^Q into B(x) (R x d_k); keys and values likewise. R is the setting
   query-rank or, of keys and values, rank. A decoder keeps the factors of keys
   and values, rank (2 h + d_k + d_v) numbers per token. A query is not a linear
   map of its token but quadratic in it, so there is no M_i. (The paper
   initialises all maps by Xavier's rule.) */
#include <qkv/variant.h>

enum { A_Q, B_Q, A_K, B_K, A_V, B_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    int h = a->heads, r = (int)setting(a, "rank");
    int r_q = (int)setting(a, "query-rank");
    weight(w, A_Q, "A^Q", a->d_model, r_q * h);
    weight(w, B_Q, "B^Q", a->d_model, r_q * a->d_k);
    weight(w, A_K, "A^K", a->d_model, r * h);
    weight(w, B_K, "B^K", a->d_model, r * a->d_k);
    weight(w, A_V, "A^V", a->d_model, r * h);
    weight(w, B_V, "B^V", a->d_model, r * a->d_v);
    weight(w, W_O, "W^O", h * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    int r = (int)setting(a, "rank"), r_q = (int)setting(a, "query-rank");
    Node *a_q = split(matmul(x, w[A_Q]), r_q), *b_q = matmul(x, w[B_Q]);
    Node *a_k = split(cached(matmul(y, w[A_K])), r);
    Node *b_k = split(cached(matmul(y, w[B_K])), r);
    Node *a_v = split(cached(matmul(y, w[A_V])), r);
    Node *b_v = split(cached(matmul(y, w[B_V])), r);
    Node *q = scale(mix_heads(split(b_q, r_q), a_q), 1. / r_q);
    Node *k = scale(mix_heads(b_k, a_k), 1. / r);
    Node *v = scale(mix_heads(b_v, a_v), 1. / r);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation =
        "A^Q: d_model x query_rank h; B^Q: d_model x query_rank d_k; "
        "A^K: d_model x rank h; B^K: d_model x rank d_k; "
        "A^V: d_model x rank h; B^V: d_model x rank d_v; "
        "q = mix_heads(split(x B^Q, query_rank), split(x A^Q, query_rank)) "
        "/ query_rank; "
        "k = mix_heads(split(y B^K, rank), split(y A^K, rank)) / rank; "
        "v = mix_heads(split(y B^V, rank), split(y A^V, rank)) / rank; "
        "softmax(q k' / sqrt(d_k)) v W_i^O",
    .family = "low rank",
    .shape = "heads d-k d-v",
    .settings = "rank=2 query-rank=6",
    .weights = weights,
    .forward = forward,
};
