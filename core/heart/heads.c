/* heads.c - the heads of a matrix, and norms of each row of each head. */
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
shared_head(const Node *n, int h, int heads, real *at)
{
    Matrix m = head_of(n, at, 0, h / (heads / n->heads));
    m.count = n->sequences;
    return m;
}

Matrix
head_for(const Node *c, int h, Factor which, real *at)
{
    return shared_head(which == RESULT ? c : c->in[which], h, c->heads, at);
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
    bool centred; /* the mean is subtracted first */
} Norm;

/* In each row of each head C = (A - mean) / deviation, or A / rms if it is not
   centred. 1 / deviation, or 1 / rms, is kept. */
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

/* In the forward pass a row was C = (A - mean) / deviation. An entry of A also
   moves the mean and the deviation of its row, so now
   dA += (dC - mean(dC) - C mean(dC . C)) / deviation. If it is not centred,
   mean(dC) is left out. */
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
