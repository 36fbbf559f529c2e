/* 24-softmax.c - exercise: the backward pass of a softmax.

   A softmax of your own. Its forward pass is right; its backward pass treats
   each weight separately, although all weights of a row share one sum.
   Subtract what they share. `make exercise N=24-softmax` checks it. */
#include <qkv/operator.h>
#include <qkv/variant.h>

/* P: each row of each head as weights that sum to 1 */
static void
shares_forward(Node *p)
{
    const real *s = p->in[0]->value;
    int keys = p->cols / p->heads;
    for (int from = 0; from < p->rows * p->cols; from += keys) {
        real most = s[from], sum = 0;
        for (int j = from; j < from + keys; j++)
            most = fmaxf(most, s[j]);
        for (int j = from; j < from + keys; j++)
            sum += p->value[j] = expf(s[j] - most);
        for (int j = from; j < from + keys; j++)
            p->value[j] /= sum;
    }
}

/* dS += P (dP - rowsum(P dP)), row by row of each head */
static void
shares_backward(Node *p)
{
    real *ds = gradient(p->in[0]);
    int keys = p->cols / p->heads;
    for (int from = 0; from < p->rows * p->cols; from += keys) {
        real sum = 0;
        for (int j = from; j < from + keys; j++)
            sum += p->value[j] * p->gradient[j];
        for (int j = from; j < from + keys; j++)
            ds[j] += p->value[j] * p->gradient[j];
    }
}

static Node *
shares(Node *s)
{
    static const Operator op = {"shares", shares_forward, shares_backward};
    Node *p = new_node(&op, s->rows, s->cols, &s, 1);
    p->heads = s->heads;
    return compute(p);
}

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

    Node *p = shares(scores(a, q, k, 1 / sqrt(a->d_k)));

    return matmul(apply_weights(a, p, v), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
