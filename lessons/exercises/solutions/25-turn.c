/* 25-turn.c - solution: the gradient of a rotation.

   A rotation's transpose is the rotation by minus the angle. */
#include <qkv/operator.h>
#include <qkv/variant.h>

/* to += from, each pair of columns turned by an angle that grows with the
   token, forwards (sign 1) or backwards (-1). */
static void
add_turned(const Node *n, real *to, const real *from, real sign)
{
    int tokens = n->rows / n->sequences;
    for (int i = 0; i < n->rows * n->cols; i += 2) {
        real angle = (real)(i / n->cols % tokens) / 4;
        real c = cosf(angle), s = sign * sinf(angle);
        to[i] += c * from[i] - s * from[i + 1];
        to[i + 1] += s * from[i] + c * from[i + 1];
    }
}

/* C: each pair of A turned */
static void
turn_forward(Node *c)
{
    for (int i = 0; i < c->rows * c->cols; i++)
        c->value[i] = 0;
    add_turned(c, c->value, c->in[0]->value, 1);
}

/* dA += dC, each pair turned back */
static void
turn_backward(Node *c)
{
    add_turned(c, gradient(c->in[0]), c->gradient, -1);
}

static Node *
turn(Node *a)
{
    static const Operator op = {"turn", turn_forward, turn_backward};
    return compute(new_node(&op, a->rows, a->cols, &a, 1));
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
    Node *q = split(turn(matmul(x, w[W_Q])), a->heads);
    Node *k = split(turn(matmul(y, w[W_K])), a->heads);
    Node *v = split(matmul(y, w[W_V]), a->heads);

    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: standard, where q and k are turned by their positions",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
};
