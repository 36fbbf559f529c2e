/* forgetting.c - the Forgetting Transformer (Lin et al. 2025,
   arXiv:2503.02130): from key j to query i a score falls by log f_l for each
   token l after j. That is c_i - c_j for the running sum c of log f, and c_i is
   the same for all keys. (For causal masks; without one c is the same sum for
   every token.) */
#include "standard.h"

enum { W_F = MORE, B_F };

static void
weights(Weights *w, const Attention *a)
{
    standard_weights(w, a);
    weight(w, W_F, "W^F", a->d_model, a->heads);
    weight(w, B_F, "b^F", 1, a->heads);
    initialise(w, B_F, 0, 0);
}

static double
one(double x)
{
    (void)x;
    return 1;
}

static double
zero(double x)
{
    (void)x;
    return 0;
}

static double
log_sigmoid(double x)
{
    return x < 0 ? x - log1p(exp(x)) : -log1p(exp(-x));
}

static double
log_sigmoid_slope(double x)
{
    return 1 / (1 + exp(x));
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    Node *f =
        map(add(matmul(y, w[W_F]), w[B_F]), log_sigmoid, log_sigmoid_slope);
    Node *ones = map(scores(a, k, k, 1), one, zero); /* whatever positions do */
    Node *below = mask_zero(a, ones);
    Node *c = apply_weights(a, below, split(f, a->heads));
    Node *unit = map(columns(q, 0, 1), one, zero);

    /* [q 1] [k -c sqrt(d_k)]' / sqrt(d_k) = q k' / sqrt(d_k) - c */
    q = concat((Node *[]){q, unit}, 2);
    k = concat((Node *[]){k, scale(c, -sqrt(a->d_k))}, 2);
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: softmax(q_i k_j' / sqrt(d_k) + sum_j<l<=i log f_l) v",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
