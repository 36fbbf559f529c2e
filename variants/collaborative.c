/* collaborative.c - heads that share W^Q and W^K, and differ in how they mix.

   Cordonnier, Loukas and Jaggi 2020, arXiv:2006.16362 (the authors' code was
   read, not the paper): the scores of head i are x W^Q diag(m_i) (y W^K)'. A
   mixing vector m_i of ones on a separate block and zeros elsewhere is standard
   attention, with a W^Q sqrt(h) times as large; here heads may share columns.
   There are heads * d_k columns, as in standard, and the scale is computed from
   that total width. The authors divide by sqrt(d_k), initialise m_i from
   N(0, 0.2^2) instead of N(0, 1), and add a bias for each key.

   `mix` is the plugin's own operator, the one that the book shows: a copy of q
   for each head, its columns weighted by m_i. hadamard cannot do this, since it
   would have to expand one head of q into several. */
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

/* C = [Q diag(m_1) Q diag(m_2) ...] */
static void
mix_forward(Node *c)
{
    const real *q = c->in[0]->value, *m = c->in[1]->value;
    int d = c->in[0]->cols;
    for (int i = 0; i < c->rows * c->cols; i++)
        c->value[i] = q[i / c->cols * d + i % d] * m[i % c->cols];
}

/* dQ += sum_i dC_i m_i,  dM_i += sum over tokens of dC_i Q, elementwise */
static void
mix_backward(Node *c)
{
    const real *q = c->in[0]->value, *m = c->in[1]->value, *dc = c->gradient;
    real *dq = gradient(c->in[0]), *dm = gradient(c->in[1]); /* both trained */
    int d = c->in[0]->cols;
    for (int t = 0; t < c->rows; t++, q += d, dq += d, dc += c->cols)
        for (int i = 0; i < c->cols; i++) {
            dq[i % d] += dc[i] * m[i];
            dm[i] += dc[i] * q[i % d];
        }
}

/* (tokens x d), (h x d) -> (tokens x h d), h heads */
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

/* A block of the shared columns for each head. */
static void
fit(const Form *f, const Attention *a, Entries *w)
{
    Part m = matrix_of(w, M);
    for (int i = 0; i < m.cols; i++)
        m.at[i / a->d_k * m.down + i] = 1;
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
