/* 21-product.c - exercise: the backward pass of a product.

   C = A B. The forward pass is right, but the backward pass gives only A a
   gradient. Write that of B: dB += A' dC. `make exercise N=21-product` checks
   it. */
#include <qkv/operator.h>
#include <qkv/variant.h>

/* C = A B: each entry of C is one chain of multiply-adds, in the order of k. */
static void
product_forward(Node *c)
{
    const Node *a = c->in[0], *b = c->in[1];
    for (int i = 0; i < c->rows; i++)
        for (int j = 0; j < c->cols; j++) {
            real sum = 0;
            for (int k = 0; k < a->cols; k++)
                sum = fmaf(a->value[i * a->cols + k], b->value[k * b->cols + j],
                           sum);
            c->value[i * c->cols + j] = sum;
        }
}

/* dA += dC B',  dB += A' dC */
static void
product_backward(Node *c)
{
    Node *a = c->in[0], *b = c->in[1];
    real *da = a->trained ? gradient(a) : NULL, *db = gradient(b);
    for (int i = 0; i < c->rows; i++)
        for (int j = 0; j < c->cols; j++) {
            real dc = c->gradient[i * c->cols + j];
            for (int k = 0; k < a->cols; k++) {
                if (da)
                    da[i * a->cols + k] += dc * b->value[k * b->cols + j];
                db[k * b->cols + j] += 0; /* here */
            }
        }
}

static Node *
product(Node *a, Node *b)
{
    static const Operator op = {"product", product_forward, product_backward};
    return compute(new_node(&op, a->rows, b->cols, (Node *[]){a, b}, 2));
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
    Node *q = split(product(x, w[W_Q]), a->heads);
    Node *k = split(product(y, w[W_K]), a->heads);
    Node *v = split(product(y, w[W_V]), a->heads);

    return product(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V W_i^O",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
