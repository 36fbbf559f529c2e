/* defined.c - the keys of a group are its values too; its equation says so by a
   name that it defines. */
#include <qkv/variant.h>

enum { W_Q, W_D, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_D, "W^D", a->d_model, a->kv_heads * a->d_k);
    weight(w, W_O, "W^O", a->heads * a->d_k, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *c = split(matmul(y, w[W_D]), a->kv_heads);

    return matmul(attend(a, q, c, c, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "c_g = y W_g^D; softmax(x W_i^Q c_g' / sqrt(d_k)) c_g W_i^O",
    .shape = "heads kv-heads d-k",
    .weights = weights,
    .forward = forward,
};
