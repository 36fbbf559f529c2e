/* window.c - a token sees itself and the window - 1 tokens before it.

   Local attention: Beltagy et al. 2020, arXiv:2004.05150, section 3.1; Mistral
   7B, arXiv:2310.06825, section 2, where token i sees i - window to i. Without
   a causal mask a token also sees the window - 1 tokens after it (Beltagy et
   al. have window / 2 on each side). A second layer sees twice as far. The
   window hides pairs of tokens and changes nothing else: M_i and N_i are
   standard's. */
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

/* The bias of a score: 0 within the window, and -infinity outside. */
static double
hidden(const Attention *a, int head, int query, int key)
{
    (void)head;
    return abs(query - key) < setting(a, "window") ? 0 : -INFINITY;
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(y, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    double s = 1 / sqrt(a->d_k);

    return matmul(attend_biased(a, q, k, v, s, hidden), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: standard, of the `window` nearest tokens",
    .family = "other weights",
    .shape = "heads d-k d-v",
    .settings = "window=4",
    .weights = weights,
    .forward = forward,
};
