/* nonlinear-query.c - the query is the mean of the token and a small MLP of it.

   "Beyond Linearity in Attention Projections" (Karbevski 2026,
   arXiv:2603.13381): W^Q may be the identity (no-wq), so its parameters are
   better spent on something nonlinear. The formula is from the authors'
   README, q = (x + LN(GELU(RMSNorm(x) W_1) W_2)) / 2, where x W_1 is d / 2
   wide; their code adds without halving, and halves the scale. LN, LayerNorm,
   has a gain and no bias, as in that code. RMSNorm has no gain, since W_1 can
   absorb one, and GELU is the form with tanh, not erf. */
#include <qkv/variant.h>

enum { W_1, W_2, GAIN, W_K, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    int middle = (a->d_model + 1) / 2;
    weight(w, W_1, "W_1^Q", a->d_model, middle);
    weight(w, W_2, "W_2^Q", middle, a->d_model);
    weight(w, GAIN, "g^Q", 1, a->d_model);
    initialise(w, GAIN, 1, 0);
    weight(w, W_K, "W^K", a->d_model, a->d_model);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

/* A function and its derivative: map(n, one, zero) is a matrix of ones with the
   shape of n. */
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

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *f = matmul(gelu(matmul(rms_norm(x, 1e-5), w[W_1])), w[W_2]);
    Node *ones = map(w[GAIN], one, zero); /* (1 x d_model) */
    Node *sums = matmul_t(f, ones);       /* of the rows of f */
    Node *centred = add(f, scale(sums, -1. / a->d_model)); /* its mean is 0 */
    Node *q = add(x, hadamard(rms_norm(centred, 1e-5), w[GAIN]));
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    double d_k = a->d_model / a->heads;

    q = split(scale(q, 0.5), a->heads);
    return matmul(attend(a, q, k, v, 1 / sqrt(d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: q = (x + LN(gelu(rms(x) W_1) W_2) . g) / 2; "
                "softmax(q I_i (y W_i^K)' / sqrt(d_model / h)) y W_i^V W_i^O",
    .family = "more than linear",
    .shape = "heads d-v",
    .weights = weights,
    .forward = forward,
};
