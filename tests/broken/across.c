/* across.c - its own operator adds to every sequence the one before it. */
#include <qkv/operator.h>
#include <qkv/variant.h>

enum { W_Q, W_K, W_V, W_M, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_M, "W^M", a->d_model, a->d_model);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

/* C = A, but row i + the number of tokens in a sequence gets row i too */
static void
own_forward(Node *c)
{
    const real *a = c->in[0]->value;
    int size = c->rows * c->cols, off = size / c->sequences;
    for (int i = 0; i < size; i++)
        c->value[i] = a[i] + (i >= off ? a[i - off] : 0);
}

static void
own_backward(Node *c)
{
    real *da = gradient(c->in[0]);
    int size = c->rows * c->cols, off = size / c->sequences;
    for (int i = 0; i < size; i++) {
        da[i] += c->gradient[i];
        if (i >= off)
            da[i - off] += c->gradient[i];
    }
}

static Node *
own(Node *a)
{
    static const Operator op = {"own", own_forward, own_backward};
    return compute(new_node(&op, a->rows, a->cols, &a, 1));
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *z = matmul(y, w[W_M]), *m = y == x ? z : own(z);
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(m, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: wrong",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
