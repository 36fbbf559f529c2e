/* differential.c - the difference of two softmaxes, to cancel their common
   noise.

   "Differential Transformer" (Ye et al. 2024, arXiv:2410.05258), equations 1 to
   3: (softmax(q_1 k_1') - lambda softmax(q_2 k_2')) v. A head has two queries
   and two keys of width d_k, and one value. All heads of a layer share a
   learned lambda, exp(l_1 l_2') - exp(l_3 l_4') + start, where start, 0.8 - 0.6
   exp(-0.3 layer), grows with the depth; l_i is initialised from N(0, 0.1^2),
   as in the authors' code. Each head is normalised, with a gain, and scaled by
   1 - start. The paper has heads = d_model / (2 d_k) and d_v = 2 d_k (for
   d-model 32: --heads 2 --d-k 8 --d-v 16), so it has only 4 d_k + d_v
   parameters more than standard; with the default widths this has 1.5 times as
   many. */
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_O, L_1, L_2, L_3, L_4, GAIN };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, 2 * a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, 2 * a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
    weight_each(w, L_1, 4, "l_i", 1, a->d_k);
    for (int i = L_1; i <= L_4; i++)
        initialise(w, i, 0, 0.1);
    weight(w, GAIN, "g^N", 1, a->d_v);
    initialise(w, GAIN, 1, 0);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    int d = a->d_k;
    double start = 0.8 - 0.6 * exp(-0.3 * a->layer), s = 1 / sqrt(d);
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *plus = map(matmul_t(w[L_1], w[L_2]), exp, exp);
    Node *minus = map(matmul_t(w[L_3], w[L_4]), exp, exp);
    Node *lambda = add(plus, scale(minus, -1)); /* without `start` */
    Node *p = attend(a, columns(q, 0, d), columns(k, 0, d), v, s);
    Node *r = attend(a, columns(q, d, d), columns(k, d, d), v, s);
    Node *noise = add(scale(r, start), hadamard(r, lambda));
    Node *out = rms_norm(add(p, scale(noise, -1)), 1e-5);

    return matmul(scale(hadamard(out, w[GAIN]), 1 - start), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation =
        "W_i^Q: d_model x 2 d_k; W_i^K: d_model x 2 d_k; l_2: 1 x d_k; "
        "q = x W_i^Q; k = y W_i^K; v = y W_i^V; "
        "p = softmax(q[0 : d_k] k[0 : d_k]' / sqrt(d_k)) v; "
        "r = softmax(q[d_k : 2 d_k] k[d_k : 2 d_k]' / sqrt(d_k)) v; "
        "lambda = exp(l_1 l_2') - exp(l_3 l_4'); "
        "start = 0.8 - 0.6 exp(-0.3 layer); "
        "((1 - start) (rms(p - start r - r . lambda, 1e-5) . g^N)) W_i^O",
    .family = "other weights",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
