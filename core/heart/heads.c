/* heads.c - the heads of a matrix, and operators that treat the columns of each
   head alike: parts of them, pairs of them rotated, norms, and heads mixed. */
#include "heart/fail.h"
#include "heart/heads.h"
#include "heart/numbers.h"
#include "heart/rows.h"
#include "heart/tape.h"

Matrix
head_of(const Node *n, real *at, int s, int h)
{
    int tokens = n->rows / n->sequences, width = n->cols / n->heads;
    ptrdiff_t sequence = (ptrdiff_t)tokens * n->cols;
    Matrix m = matrix(at + s * sequence + (ptrdiff_t)h * width, tokens, width,
                      n->cols);
    m.step = sequence;
    return m;
}

Matrix
head_for(const Node *c, int h, int k, real *at)
{
    const Node *n = k < 2 ? c->in[k] : c;
    Matrix m = head_of(n, at, 0, h / (c->heads / n->heads));
    m.count = n->sequences;
    return m;
}

const Linear columns_op = {{"columns", LINEAR}, add_to_heads};
const Linear concat_op = {{"concat", LINEAR}, add_to_heads};

Node *
columns(Node *a, int from, int count)
{
    if (from < 0 || count < 1 || count > a->cols / a->heads - from)
        bug("columns: %s has no columns %d to %d in each of its heads, %d",
            label(a), from, from + count - 1, a->heads);
    return make(&columns_op.op, OF(a),
                (Made){.cols = a->heads * count, WITH(from)});
}

Node *
concat(Node *const *a, int count)
{
    int width = 0, heads = 1;
    for (int k = 0; k < count; k++) {
        bool as_many = a[k]->heads == heads || a[k]->heads == 1 || heads == 1;
        if (a[k]->rows != a[0]->rows || !as_many)
            mismatch("concat", a[0], a[k], "all have as many rows and heads");
        heads = a[k]->heads > heads ? a[k]->heads : heads;
        width += a[k]->cols / a[k]->heads;
    }
    return make(&concat_op.op, a, count,
                (Made){.cols = heads * width, .heads = heads});
}

/* C: each pair of columns 2j, 2j + 1 of A turned by the angle of its token and
   j; backward by minus that angle. */
void
add_rotated(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    (void)k;
    const Rotation *by = c->arguments;
    int tokens = c->rows / c->sequences, width = c->cols / c->heads;
    const real *from = back ? of_c : of_a;
    real *to = back ? of_a : of_c;
    for (int j = 0; j < width; j += 2) {
        double rate = decay((double)j / width * logarithm(by->base));
        for (int t = 0; t < tokens; t++) {
            double cosine, sine;
            sine_cosine((by->position + t) * rate, &sine, &cosine);
            sine *= back ? -1 : 1;
            for (int i = t * c->cols + j; i < c->rows * c->cols;
                 i += tokens * c->cols)
                for (int at = i; at < i - j + c->cols; at += width) {
                    double u = (double)from[at], v = (double)from[at + 1];
                    to[at] += (real)(cosine * u - sine * v);
                    to[at + 1] += (real)(sine * u + cosine * v);
                }
        }
    }
}

const Linear rotate_op = {{"rotate", LINEAR}, add_rotated};

/* Under a decoder n has the rows of new tokens, or of all. */
Node *
rotate(Attention *a, Node *n, double base)
{
    const Keeper *k = n->tape->keeper;
    bool all = k && n->rows == (k->earlier + k->fresh) * n->sequences;
    if (n->cols / n->heads % 2 || !(base >= 1))
        bug("rotate: %s of %d heads, base %g: heads are an even number of "
            "columns wide, and the base is at least 1",
            label(n), n->heads, base);
    return make(&rotate_op.op, OF(n),
                (Made){WITH((Rotation){all ? 0 : a->position, base})});
}

static real
row_sum(const real *x, int n)
{
    real lane[LANES] = {0};
    for (int j = 0; j < n; j++)
        lane[j % LANES] += x[j];
    return sum_of(lane);
}

typedef struct Norm {
    double eps;   /* added to the mean square */
    bool centred; /* the mean is taken off first */
} Norm;

/* C_i = (A_i - mean) / deviation, or A_i / rms where it is not centred, and
   1 / deviation is kept, of each token of each head */
static void
norm_forward(Node *c)
{
    const Norm *norm = c->arguments;
    int width = c->cols / c->heads, rows = c->rows * c->heads;
    const real *x = c->in[0]->value;
    real *y = c->value;
    for (int i = 0; i < rows; i++, x += width, y += width) {
        real mean = norm->centred ? row_sum(x, width) / (real)width : 0;
        for (int j = 0; j < width; j++)
            y[j] = x[j] - mean;
        real square = row_dot(y, y, width) / (real)width;
        c->kept[i] = 1 / SQRT(square + (real)norm->eps);
        for (int j = 0; j < width; j++)
            y[j] *= c->kept[i];
    }
}

/* dA_i += (dC_i - mean(dC_i) - C_i mean(dC_i . C_i)) / deviation, where
   mean(dC_i) is left out if it is not centred */
static void
norm_backward(Node *c)
{
    const Norm *norm = c->arguments;
    int width = c->cols / c->heads, rows = c->rows * c->heads;
    const real *y = c->value, *dc = c->gradient;
    real *d = gradient(c->in[0]);
    for (int i = 0; i < rows; i++, d += width, y += width, dc += width) {
        real mean = norm->centred ? row_sum(dc, width) / (real)width : 0;
        real along = row_dot(dc, y, width) / (real)width;
        for (int j = 0; j < width; j++)
            d[j] += (dc[j] - mean - y[j] * along) * c->kept[i];
    }
}

const Operator normalize_op = {"normalize", norm_forward, norm_backward};

Node *
normalize(Node *a, double eps, bool centred)
{
    return make(&normalize_op, OF(a),
                (Made){WITH((Norm){eps, centred}),
                       .keeps = (size_t)a->rows * (size_t)a->heads});
}

Node *
rms_norm(Node *a, double eps)
{
    return normalize(a, eps, false);
}

/* A row of S, of P and of C is a matrix, with a head in each row; then C' = S'
   P, token by token. A single row of P serves all tokens. They are a batch,
   which is part 0; the other parts are empty. */
static Matrix
token_matrices(const Node *c, int i, int k, real *at)
{
    const Node *n = k < 2 ? c->in[k] : c;
    int width = n->cols / n->heads;
    Matrix m = matrix(at, n->heads, width, width);
    m.count = i ? 0 : c->rows;
    m.step = n->rows == 1 ? 0 : n->cols;
    return k == 1 ? m : transposed(m);
}

const Product mix_heads_op = {{"mix_heads", PRODUCT}, .part = token_matrices};

/* P (heads x heads of C), the same for every token, is seen as one row. */
Node *
mix_heads(Node *s, Node *p)
{
    bool for_each_token = p->rows == s->rows && p->heads == s->heads;
    if (!for_each_token && p->rows != s->heads)
        mismatch("mix_heads", s, p,
                 "the second has a row for each head, or for each token, split "
                 "into as many heads");
    if (!for_each_token) {
        p = split(p, p->heads);
        p->heads = p->rows;
        p->cols *= p->rows;
        p->rows = 1;
    }
    int heads = p->cols / p->heads;
    return make(&mix_heads_op.op, OF(s, p),
                (Made){.cols = heads * (s->cols / s->heads), .heads = heads});
}
