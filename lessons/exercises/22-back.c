/* 22-back.c - exercise: a backward pass.

   An operator for tanh. Its forward pass is right; its backward pass returns
   the gradient as if tanh were the identity, and forgets that its operand is
   used twice here. `make exercise N=22-back` checks it. */
#include <qkv/operator.h>
#include <qkv/variant.h>

/* C = tanh A = (e^2A - 1) / (e^2A + 1) */
static void
curve_forward(Node *c)
{
    const Node *a = c->in[0];
    for (int i = 0; i < c->rows * c->cols; i++) {
        real e = expf(2 * a->value[i]);
        c->value[i] = (e - 1) / (e + 1);
    }
}

/* dA += dC (1 - C^2) */
static void
curve_backward(Node *c)
{
    real *d = gradient(c->in[0]);
    for (int i = 0; i < c->rows * c->cols; i++)
        d[i] = c->gradient[i];
}

static Node *
curve(Node *a)
{
    static const Operator op = {"curve", curve_forward, curve_backward};
    return compute(new_node(&op, a->rows, a->cols, &a, 1));
}

enum { W_Q, W_K, W_V, W_IQ, W_IK, W_IV, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->d_model);
    weight(w, W_K, "W^K", a->d_model, a->d_model);
    weight(w, W_V, "W^V", a->d_model, a->d_model);
    weight(w, W_IQ, "W_i^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_IK, "W_i^K", a->d_model, a->heads * a->d_k);
    weight(w, W_IV, "W_i^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *x_q = matmul(x, w[W_Q]);
    Node *q = add(curve(x_q), curve(x_q)); /* twice: two gradients */
    Node *k = curve(matmul(y, w[W_K]));
    Node *v = curve(matmul(y, w[W_V]));
    Node *q_i = split(matmul(q, w[W_IQ]), a->heads);
    Node *k_i = split(matmul(k, w[W_IK]), a->heads);
    Node *v_i = split(matmul(v, w[W_IV]), a->heads);

    return matmul(attend(a, q_i, k_i, v_i, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "q = 2 tanh(x W^Q) W_i^Q; k = tanh(y W^K) W_i^K; "
                "softmax(q k' / sqrt(d_k)) tanh(y W^V) W_i^V W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
