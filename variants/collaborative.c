/* collaborative.c - heads that share W^Q and W^K, and differ in how they mix.

   Cordonnier, Loukas and Jaggi 2020, arXiv:2006.16362 (the authors' code was
   read, not the paper): the scores of head i are x W^Q diag(m_i) (y W^K)'. If
   m_i is 1 at d_k columns that only head i uses, and 0 elsewhere, this is
   standard attention with W^Q sqrt(h) times as large; here heads may share
   columns. There are heads * d_k columns, as in standard, and the scale is
   computed from this total width. The authors divide by sqrt(d_k), initialise
   m_i from N(0, 0.2^2) instead of N(0, 1), and add a bias for each key.

   `mix` is this plugin's own operator: it makes a copy of q for each head, with
   its columns multiplied by m_i. hadamard cannot make h heads out of one. */
#include <qkv/operator.h>
#include <qkv/variant.h>

enum { W_Q, W_K, M, W_V, W_O };

static void
weights(Weights *w, const Attention *a)
{
    weight(w, W_Q, "W^Q", a->d_model, a->heads * a->d_k);
    weight(w, W_K, "W^K", a->d_model, a->heads * a->d_k);
    weight(w, M, "M", a->heads, a->heads * a->d_k);
    initialise(w, M, 0, 1);
    weight(w, W_V, "W^V", a->d_model, a->heads * a->d_v);
    weight(w, W_O, "W^O", a->heads * a->d_v, a->d_model);
}

/* C = [Q diag(m_1) Q diag(m_2) ...]. Q has d columns, and C has d for each
   head. So column j of C is column j % d of Q, times entry j of M, if the rows
   of M are read one after another. */
static void
mix_forward(Node *c)
{
    const real *q = c->in[0]->value, *m = c->in[1]->value;
    int d = c->in[0]->cols;
    for (int t = 0; t < c->rows; t++)
        for (int j = 0; j < c->cols; j++)
            c->value[t * c->cols + j] = q[t * d + j % d] * m[j];
}

/* In the forward pass C_i was Q diag(m_i), so now, entry by entry, dQ +=
   dC_i . m_i for each head i, and dm_i += dC_i . Q for each token. */
static void
mix_backward(Node *c)
{
    const real *q = c->in[0]->value, *m = c->in[1]->value;
    real *dq = gradient(c->in[0]), *dm = gradient(c->in[1]); /* both trained */
    int d = c->in[0]->cols;
    for (int t = 0; t < c->rows; t++)
        for (int j = 0; j < c->cols; j++) {
            int of_q = t * d + j % d; /* the entry of Q that C's entry uses */
            dq[of_q] += c->gradient[t * c->cols + j] * m[j];
            dm[j] += c->gradient[t * c->cols + j] * q[of_q];
        }
}

/* q (tokens x d), m (h x d): the result is (tokens x h d), of h heads. */
static Node *
mix(Node *q, Node *m)
{
    static const Operator op = {"mix", mix_forward, mix_backward};
    Node *c = new_node(&op, q->rows, m->rows * q->cols, (Node *[]){q, m}, 2);
    c->flops = 0; /* entry by entry: no product of matrices */
    return split(compute(c), m->rows);
}

static Node *
forward(Attention *a, Node *x, Node *y, Node **w)
{
    Node *q = mix(matmul(x, w[W_Q]), w[M]), *k = matmul(y, w[W_K]);
    Node *v = split(matmul(y, w[W_V]), a->heads);
    double width = a->heads * a->d_k;

    return matmul(attend(a, q, k, v, 1 / sqrt(width)), w[W_O]);
}

/* Column j is used only by head j / d_k. */
static void
fit(const Form *f, const Attention *a, Entries *w)
{
    Part m = matrix_of(w, M);
    for (int j = 0; j < m.cols; j++)
        m.at[j / a->d_k * m.down + j] = 1;
    factor_scores(f, 1 / sqrt(a->heads * a->d_k), matrix_of(w, W_Q),
                  matrix_of(w, W_K));
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
}

const Variant qkv_variant = {
    .abi = QKV_ABI,
    .equation = "note: softmax(x W^Q diag(m_i) (y W^K)' / sqrt(h d_k)) "
                "y W_i^V W_i^O",
    .family = "mixed heads",
    .shape = "heads d-k d-v",
    .weights = weights,
    .forward = forward,
    .fit = fit,
};
