/* linear.c - no softmax: the scores themselves are the weights.

   Linear attention (Katharopoulos et al. 2020, arXiv:2006.16236), with the
   identity as its feature map and no normaliser, as in section 3.1 of "Linear
   Transformers Are Secretly Fast Weight Programmers" (arXiv:2102.11174), which
   has no 1/sqrt(d_k). (Neither paper was read, only others that cite them.)
   Here the scores of all pairs of tokens are computed. A decoder could compute
   the same from one matrix S per head: S += k' v for each token, and the output
   is q S / sqrt(d_k). It would keep no token at all, except with --positions
   alibi, whose bias is added to the weights here. */
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
    Node *s = mask_zero(a, scores(a, q, k, 1 / sqrt(a->d_k)));

    return matmul(apply_weights(a, s, v), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^O",
    .family = "other weights",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
