/* operator.c - standard.c with keys through an operator of the plugin's own. It
   is right: the faults of faults.tsv are edits of it. */
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

/* C = A B for a square B, and its gradients */
static void
own_forward(Node *c)
{
    const real *a = c->in[0]->value, *b = c->in[1]->value;
    int d = c->cols;
    for (int t = 0; t < c->rows; t++)
        for (int j = 0; j < d; j++) {
            c->value[t * d + j] = 0;
            for (int i = 0; i < d; i++)
                c->value[t * d + j] += a[t * d + i] * b[i * d + j];
        }
}

static void
own_backward(Node *c)
{
    Node *a = c->in[0], *b = c->in[1];
    real *da = gradient(a), *db = gradient(b);
    int d = c->cols;
    for (int t = 0; t < c->rows; t++)
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++) {
                real dc = c->gradient[t * d + j];
                da[t * d + i] += dc * b->value[i * d + j];
                db[i * d + j] += dc * a->value[t * d + i];
            }
}

static Node *
own(Node *a, Node *b)
{
    static const Operator op = {"own", own_forward, own_backward};
    return compute(new_node(&op, a->rows, b->cols, (Node *[]){a, b}, 2));
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *z = matmul(y, w[W_M]), *m = own(z, w[W_M]);
    Node *q = split(matmul(x, w[W_Q]), a->heads);
    Node *k = split(matmul(m, w[W_K]), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: right",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
