/* value-residual.c - half of every layer's values come from the first layer.

   "Value Residual Learning" (Zhou et al. 2024, arXiv:2410.17897): v = (v + v of
   the first layer) / 2, as in the authors' code. (The paper, which was not
   read, calls it Identity-ResFormer.) So every layer can read the first values,
   before any attention has mixed the tokens. In the first layer this is
   standard. A decoder keeps only the sum, so its cache is no larger. */
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

    const int slot = 0, first_layer = 0;
    remember(a, slot, v);
    if (a->layer > first_layer)
        v = add(scale(v, 0.5), scale(recall(a, slot, first_layer), 0.5));
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: softmax(q_i k_i' / sqrt(d_k)) "
                "((v_i + v_i of the first layer) / 2) W_i^O",
    .family = "across layers",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
