/* clip.c - queries, keys and values clipped (MosaicML 2023): two kinks. */
#include "standard.h"
static double
f(double x)
{
    return x > 1 ? 1 : x < -1 ? -1 : x;
}
static double
df(double x)
{
    return x > 1 || x < -1 ? 0 : 1;
}
static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    q = map(q, f, df);
    k = map(k, f, df);
    v = map(v, f, df);
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}
const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: clip",
    .family = "as standard",
    .shape = "heads d-k d-v",
    .weights = standard_weights,
    .forward = forward,
};
