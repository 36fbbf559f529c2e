/* gpt-oss.c - a learned sink, and a window in every second block (OpenAI 2025,
   as Gemma 2 does without sinks). */
#include "standard.h"

enum { SINK = MORE };

static void
weights(Weights *w, const Attention *a)
{
    standard_weights(w, a);
    weight(w, SINK, "sink", 1, a->heads);
    initialise(w, SINK, 0, 0);
}

static double
near(const Attention *a, int head, int query, int key)
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
    Node *s = scores(a, q, k, 1 / sqrt(a->d_k));

    if (a->layer % 2 == 0)
        s = fixed_bias(a, s, near);
    return matmul(apply_weights(a, softmax_sink(a, s, w[SINK]), v), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: "
                "softmax(q_i k_i' / sqrt(d_k), sink_i) v_i, partly of a window",
    .shape = "heads d-k d-v",
    .settings = "window=4",
    .weights = weights,
    .forward = forward,
};
