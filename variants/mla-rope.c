/* mla-rope.c - mla as in DeepSeek-V2, with its rotary part and its norms.

   DeepSeek-V2 (2024, arXiv:2405.04434), section 2.1, equations 9 to 19, and the
   RMSNorms that section 3.1.2 adds after both narrow middles, of keys and
   values (c) and of queries. A rotation between W^Q and W^UK would keep W^UK
   from being absorbed (2.1.3), so positions have `rope` separate columns: in
   each query, and in one key that all heads share. A decoder keeps latent +
   rope numbers per token. With query-latent 0 the queries have no middle, as in
   V2-Lite. Train it with --positions none. */
#include <qkv/variant.h>

enum { W_DKV, W_UK, W_UV, W_KR, G_KV, W_UQ, W_QR, W_O, W_DQ, G_Q };

static void
weights(Weights *w, const Attention *a)
{
    int h = a->heads, rope = (int)setting(a, "rope");
    int query_latent = (int)setting(a, "query-latent");
    int query_from = query_latent ? query_latent : a->d_model;
    weight(w, W_DKV, "W^DKV", a->d_model, a->latent);
    weight(w, W_UK, "W^UK", a->latent, h * a->d_k);
    weight(w, W_UV, "W^UV", a->latent, h * a->d_v);
    weight(w, W_KR, "W^KR", a->d_model, rope);
    weight(w, G_KV, "g^KV", 1, a->latent);
    initialise(w, G_KV, 1, 0);
    weight(w, W_UQ, "W^UQ", query_from, h * a->d_k);
    weight(w, W_QR, "W^QR", query_from, h * rope);
    weight(w, W_O, "W^O", h * a->d_v, a->d_model);
    if (query_latent) {
        weight(w, W_DQ, "W^DQ", a->d_model, query_latent);
        weight(w, G_Q, "g^Q", 1, query_latent);
        initialise(w, G_Q, 1, 0);
    }
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    const double base = 10000; /* of the rotations */
    double rope = setting(a, "rope"), width = a->d_k + rope;
    Node *c = cached(hadamard(rms_norm(matmul(y, w[W_DKV]), 1e-6), w[G_KV]));
    Node *k_c = split(matmul(c, w[W_UK]), a->heads);
    Node *v = split(matmul(c, w[W_UV]), a->heads);
    Node *k_r = cached(rotate(a, matmul(y, w[W_KR]), base));
    if (setting(a, "query-latent"))
        x = hadamard(rms_norm(matmul(x, w[W_DQ]), 1e-6), w[G_Q]);
    Node *q_c = split(matmul(x, w[W_UQ]), a->heads);
    Node *q_r = rotate(a, split(matmul(x, w[W_QR]), a->heads), base);
    Node *q = concat((Node *[]){q_c, q_r}, 2);
    Node *k = concat((Node *[]){k_c, k_r}, 2);

    return matmul(attend(a, q, k, v, 1 / sqrt(width)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation =
        "W^DKV: d_model x latent; W_i^UK: latent x d_k; W^KR: d_model x rope; "
        "W_i^UQ: query_latent x d_k; W_i^QR: query_latent x rope; "
        "c = rms(y W^DKV) . g^KV; k = [c W_i^UK, rotate(y W^KR)]; "
        "a = rms(x W^DQ) . g^Q; q = [a W_i^UQ, rotate(a W_i^QR)]; "
        "softmax(q k' / sqrt(d_k + rope)) c W_i^UV W_i^O",
    .family = "low rank",
    .shape = "heads d-k d-v latent",
    .settings = "query-latent=24 rope=4",
    .weights = weights,
    .forward = forward,
};
