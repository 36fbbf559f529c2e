/* layers.c - embedding, positions, LayerNorm and loss, each with its
   derivative. */
#include <string.h>

#include <qkv/operator.h>

#include "heart/fail.h"
#include "heart/layers.h"
#include "heart/operators.h"
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
        real *to = c->value + i / ids->each * c->cols;
        for (int j = 0; id >= 0 && j < c->cols; j++)
            to[j] += table->value[id * c->cols + j];
    }
}

/* dTable[id] += dC[t] for each id of token t */
static void
embed_backward(Node *c)
{
    const Ids *ids = c->arguments;
    real *d = gradient(c->in[0]);
    for (int i = 0; i < c->rows * ids->each; i++) {
        const real *from = c->gradient + i / ids->each * c->cols;
        for (int j = 0; ids->id[i] >= 0 && j < c->cols; j++)
            d[ids->id[i] * c->cols + j] += from[j];
    }
}

Node *
embed(Node *table, const int *ids, int each, int rows, int sequences)
{
    static const Operator op = {"embed", embed_forward, embed_backward};
    return make(
        &op, OF(table),
        (Made){.rows = rows, .sequences = sequences, WITH((Ids){ids, each})});
}

/* C = X + Table[first + t] at token t of each sequence */
static void
add_positions_forward(Node *c)
{
    const int *first = c->arguments;
    const real *x = c->in[0]->value;
    const real *from = c->in[1]->value + *first * c->cols;
    int size = c->rows * c->cols, sequence = size / c->sequences;
    for (int s = 0; s < size; s += sequence)
        for (int i = 0; i < sequence; i++)
            c->value[s + i] = x[s + i] + from[i];
}

/* dX += dC,  dTable[first + t] += dC of token t, over all sequences */
static void
add_positions_backward(Node *c)
{
    Node *x = c->in[0], *table = c->in[1];
    const int *first = c->arguments;
    int size = c->rows * c->cols, sequence = size / c->sequences;
    real *d = table->trained ? gradient(table) + *first * c->cols : NULL;
    for (int s = 0; d && s < size; s += sequence)
        for (int i = 0; i < sequence; i++)
            d[i] += c->gradient[s + i];
    if (x->trained)
        pass_gradient(c, x);
}

Node *
add_positions(Node *x, Node *table, int first)
{
    static const Operator op = {"add_positions", add_positions_forward,
                                add_positions_backward};
    if (x->rows / x->sequences > table->rows - first || x->cols != table->cols)
        mismatch("add_positions", x, table,
                 "the second has a row, as wide, for each position");
    return make(&op, OF(x, table), (Made){WITH(first)});
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
    size_t keeps =
        size_of(x) + (size_t)x->rows + (size_t)x->cols * (size_t)ROWS_AT_A_TIME;
    return make(&op, OF(x, gain, bias), (Made){.heads = 1, .keeps = keeps});
}

/* What a loss compares the rows with, and how many of a whole batch count. */
typedef struct Answers {
    const int *targets;
    int counted;
} Answers;

/* C = the sum over counted rows of -log softmax(logits)[target], / counted;
   kept are these softmaxes */
static void
cross_entropy_forward(Node *c)
{
    const Node *logits = c->in[0];
    const Answers *a = c->arguments;
    int classes = logits->cols;
    double sum = 0;
    for (int i = 0; i < logits->rows; i++) {
        int target = a->targets[i];
        if (target >= classes)
            bug("cross_entropy: target %d of %d classes", target, classes);
        if (target < 0)
            continue;
        const real *row = logits->value + i * classes;
        real *p =
            memcpy(c->kept + i * classes, row, (size_t)classes * sizeof *p);
        sum += row_shares(p, classes) - (double)row[target];
    }
    c->value[0] = a->counted ? (real)(sum / a->counted) : 0;
}

/* dLogits += (softmax(logits) - onehot(target)) dC / counted, row by row */
static void
cross_entropy_backward(Node *c)
{
    const Answers *a = c->arguments;
    int rows = c->in[0]->rows, classes = c->in[0]->cols;
    real *d = gradient(c->in[0]), *p = c->kept;
    real factor = c->gradient[0] / (real)a->counted;
    for (int i = 0; i < rows; i++, d += classes, p += classes) {
        if (a->targets[i] < 0)
            continue;
        for (int j = 0; j < classes; j++)
            d[j] += factor * p[j];
        d[a->targets[i]] -= factor;
    }
}

Node *
cross_entropy(Node *logits, const int *targets, int counted)
{
    static const Operator op = {"cross_entropy", cross_entropy_forward,
                                cross_entropy_backward};
    return make(&op, OF(logits),
                (Made){.rows = 1,
                       .cols = 1,
                       .heads = 1,
                       .sequences = 1,
                       WITH((Answers){targets, counted}),
                       .keeps = size_of(logits)});
}

int
counted_rows(const int *targets, int rows)
{
    int counted = 0;
    for (int i = 0; i < rows; i++)
        counted += targets[i] >= 0;
    return counted;
}

int
correct_rows(const Node *logits, const int *targets)
{
    int correct = 0, classes = logits->cols;
    for (int i = 0; i < logits->rows; i++) {
        const real *row = logits->value + i * classes;
        int target = targets[i];
        /* The first of the largest is the model's answer. */
        correct += target >= 0 && row[target] == row_max(row, classes) &&
                   (target == 0 || row_max(row, target) < row[target]);
    }
    return correct;
}
