/* layers.c - embedding, positions, LayerNorm and loss, each with its
   derivative. */
#include <string.h>

#include <qkv/operator.h>

#include "heart/fail.h"
#include "heart/layers.h"
#include "heart/rows.h"
#include "heart/tape.h"

/* Which rows of a table each token is the sum of. */
typedef struct Ids {
    const int *id;
    int each;
} Ids;

/* C[t] = the sum of Table[id] for each id of token t */
static void
embed_forward(Node *c)
{
    const Ids *ids = c->arguments;
    const Node *table = c->in[0];
    memset(c->value, 0, size_of(c) * sizeof(real));
    for (int i = 0; i < c->rows * ids->each; i++) {
        int id = ids->id[i];
        if (id >= table->rows)
            bug("embed: id %d in a table of %d", id, table->rows);
        if (id < 0)
            continue;
        real *to = c->value + (size_t)(i / ids->each) * (size_t)c->cols;
        const real *from = table->value + (size_t)id * (size_t)c->cols;
        for (int j = 0; j < c->cols; j++)
            to[j] += from[j];
    }
}

/* dTable[id] += dC[t] for each id of token t */
static void
embed_backward(Node *c)
{
    const Ids *ids = c->arguments;
    real *d = gradient(c->in[0]);
    for (int i = 0; i < c->rows * ids->each; i++) {
        if (ids->id[i] < 0)
            continue;
        real *to = d + (size_t)ids->id[i] * (size_t)c->cols;
        const real *from =
            c->gradient + (size_t)(i / ids->each) * (size_t)c->cols;
        for (int j = 0; j < c->cols; j++)
            to[j] += from[j];
    }
}

Node *
embed(Node *table, const int *ids, int each, int rows, int sequences)
{
    static const Operator op = {"embed", embed_forward, embed_backward};
    Node *c = new_node(&op, rows, table->cols, &table, 1);
    c->sequences = sequences;
    keep_arguments(c, &(Ids){ids, each}, sizeof(Ids));
    return compute(c);
}

/* C = X + Table[first + t] at token t of each sequence */
static void
add_positions_forward(Node *c)
{
    const real *x = c->in[0]->value, *table = c->in[1]->value;
    const size_t *from = c->arguments;
    size_t size = size_of(c), period = size / (size_t)c->sequences;
    for (size_t s = 0; s < size; s += period)
        for (size_t i = 0; i < period; i++)
            c->value[s + i] = x[s + i] + table[*from + i];
}

/* dX += dC,  dTable[first + t] += dC of token t, over all sequences */
static void
add_positions_backward(Node *c)
{
    Node *x = c->in[0], *table = c->in[1];
    const size_t *from = c->arguments;
    size_t size = size_of(c), period = size / (size_t)c->sequences;
    real *dtable = table->trained ? gradient(table) + *from : NULL;
    for (size_t s = 0; dtable && s < size; s += period)
        for (size_t i = 0; i < period; i++)
            dtable[i] += c->gradient[s + i];
    if (x->trained)
        pass_gradient(c, x);
}

Node *
add_positions(Node *x, Node *table, int first)
{
    static const Operator op = {"add_positions", add_positions_forward,
                                add_positions_backward};
    if (x->rows / x->sequences > table->rows - first || x->cols != table->cols)
        bug("add_positions: (%d x %d) in %d sequences and (%d x %d) from row "
            "%d on do not fit",
            x->rows, x->cols, x->sequences, table->rows, table->cols, first);
    size_t from = (size_t)first * (size_t)table->cols;
    Node *c = new_node(&op, x->rows, x->cols, (Node *[]){x, table}, 2);
    keep_arguments(c, &from, sizeof from);
    return compute(c);
}

/* Y = gain n + bias with n = (x - mean) / deviation, and what is kept: n, 1 /
   deviation of each row, and space for the backward pass. */
static void
layer_norm_forward(Node *c)
{
    norm_rows(c->rows, c->cols, c->value, c->kept, c->kept + size_of(c),
              c->in[0]->value, c->in[1]->value, c->in[2]->value);
}

static void
layer_norm_backward(Node *c)
{
    Node *x = c->in[0], *gain = c->in[1];
    real *dgain = gradient(gain), *dbias = gradient(c->in[2]);
    real *dx = x->trained ? gradient(x) : NULL, *inverse = c->kept + size_of(c);
    norm_rows_backward(c->rows, c->cols, dx, dgain, dbias, c->gradient, c->kept,
                       inverse, gain->value, inverse + c->rows);
}

Node *
layer_norm(Node *x, Node *gain, Node *bias)
{
    static const Operator op = {"layer_norm", layer_norm_forward,
                                layer_norm_backward};
    Node *c = new_node(&op, x->rows, x->cols, (Node *[]){x, gain, bias}, 3);
    c->kept = keep(c, size_of(c) + (size_t)c->rows +
                          (size_t)c->cols * (size_t)ROWS_AT_A_TIME);
    return compute(c);
}

/* What a loss compares the rows with, and how many of a whole batch count. */
typedef struct Answers {
    const int *targets;
    int counted;
} Answers;

/* dLogits += (softmax(logits) - onehot(target)) dC / counted, row by row */
static void
cross_entropy_backward(Node *c)
{
    Node *logits = c->in[0];
    const Answers *a = c->arguments;
    int classes = logits->cols;
    real *d = gradient(logits), factor = c->gradient[0] / (real)a->counted;
    for (int i = 0; i < logits->rows; i++, d += classes) {
        const real *p = c->kept + (size_t)i * (size_t)classes;
        if (a->targets[i] < 0)
            continue;
        for (int j = 0; j < classes; j++)
            d[j] += factor * p[j];
        d[a->targets[i]] -= factor;
    }
}

int
counted_rows(const int *targets, int rows)
{
    int counted = 0;
    for (int i = 0; i < rows; i++)
        counted += targets[i] >= 0;
    return counted;
}

/* C = the sum over counted rows of -log softmax(logits)[target], / counted */
static void
cross_entropy_forward(Node *c)
{
    const Node *logits = c->in[0];
    const Answers *a = c->arguments;
    int classes = logits->cols;
    double sum = 0, z[ROWS_AT_A_TIME];
    real *p[ROWS_AT_A_TIME], target[ROWS_AT_A_TIME];
    for (int i = 0; i < logits->rows;) {
        int rows = 0;
        for (; i < logits->rows && rows < ROWS_AT_A_TIME; i++) {
            int answer = a->targets[i];
            if (answer < 0)
                continue;
            if (answer >= classes)
                bug("cross_entropy: target %d of %d classes", answer, classes);
            size_t at = (size_t)i * (size_t)classes;
            p[rows] = memcpy(c->kept + at, logits->value + at,
                             (size_t)classes * sizeof(real));
            target[rows] = p[rows][answer];
            rows++;
        }
        rows_shares(p, z, rows, classes);
        for (int k = 0; k < rows; k++)
            sum += z[k] - (double)target[k];
    }
    c->value[0] = a->counted ? (real)(sum / a->counted) : 0;
}

Node *
cross_entropy(Node *logits, const int *targets, int counted)
{
    static const Operator op = {"cross_entropy", cross_entropy_forward,
                                cross_entropy_backward};
    Node *c = new_node(&op, 1, 1, &logits, 1);
    c->sequences = 1;
    keep_arguments(c, &(Answers){targets, counted}, sizeof(Answers));
    c->kept = keep(c, size_of(logits));
    return compute(c);
}

int
correct_rows(const Node *logits, const int *targets)
{
    int correct = 0, classes = logits->cols;
    const real *row = logits->value;
    for (int i = 0; i < logits->rows; i++, row += classes) {
        int target = targets[i];
        if (target < 0)
            continue;
        /* The first of the largest is the model's answer. */
        correct += row[target] == row_max(row, classes) &&
                   (target == 0 || row_max(row, target) < row[target]);
    }
    return correct;
}

/* What an answer means: the number first + step * target. */
typedef struct Scale {
    Answers answers;
    double first, step;
} Scale;

/* C = the sum over counted rows of (x - y)^2, / counted */
static void
squared_error_forward(Node *c)
{
    const Node *x = c->in[0];
    const Scale *y = c->arguments;
    double sum = 0;
    for (int i = 0; i < x->rows; i++) {
        int target = y->answers.targets[i];
        if (target < 0)
            continue;
        c->kept[i] = x->value[i] - (real)(y->first + y->step * target);
        sum += (double)c->kept[i] * (double)c->kept[i];
    }
    c->value[0] = y->answers.counted ? (real)(sum / y->answers.counted) : 0;
}

/* dX += 2 (x - y) dC / counted */
static void
squared_error_backward(Node *c)
{
    Node *x = c->in[0];
    const Answers *a = &((const Scale *)c->arguments)->answers;
    real *d = gradient(x), factor = 2 * c->gradient[0] / (real)a->counted;
    for (int i = 0; i < x->rows; i++)
        if (a->targets[i] >= 0)
            d[i] += factor * c->kept[i];
}

Node *
squared_error(Node *x, const int *targets, int counted, double first,
              double step)
{
    static const Operator op = {"squared_error", squared_error_forward,
                                squared_error_backward};
    if (x->cols != 1)
        bug("squared_error: (%d x %d) where each row must be one number",
            x->rows, x->cols);
    Node *c = new_node(&op, 1, 1, &x, 1);
    c->sequences = 1;
    keep_arguments(c, &(Scale){{targets, counted}, first, step}, sizeof(Scale));
    c->kept = keep(c, (size_t)x->rows);
    return compute(c);
}

double
explained_rows(const Node *x, const int *targets, double first, double step)
{
    double sum = 0;
    for (int i = 0; i < x->rows; i++) {
        double off = (double)x->value[i] - (first + step * targets[i]);
        sum += targets[i] < 0 ? 0 : 1 - off * off;
    }
    return sum;
}
