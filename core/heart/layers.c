/* layers.c - sums of rows (embedding, positions, shift), LayerNorm and loss,
   each with its derivative. */
#include <string.h>

#include <qkv/operator.h>

#include "heart/fail.h"
#include "heart/layers.h"
#include "heart/operators.h"
#include "heart/rows.h"
#include "heart/tape.h"

/* Row i of C is the sum of the rows ids[i each], ids[i each + 1], ... of its
   first operand, `each` of them (-1: none); and, if `by_place` is set, of row
   first + t of its last operand, where t is the place of row i in its sequence
   (none if first + t is negative). */
typedef struct Rows {
    const int *ids;
    int each;
    bool by_place;
    int first;
} Rows;

/* A table of one sequence serves all. */
static int
row_by_place(const Node *c, const Node *table, int first, int i)
{
    int t = i % (c->rows / c->sequences);
    if (t + first < 0)
        return -1;
    return first + (table->sequences == c->sequences ? i : t);
}

/* C += Table, or back dTable += dC, for each of these rows */
static void
add_rows(Node *c, bool back)
{
    const Rows *r = c->arguments;
    for (int i = 0; i < c->rows; i++)
        for (int k = 0; k < r->each + r->by_place; k++) {
            Node *table = c->in[k < r->each ? 0 : c->inputs - 1];
            int row = k < r->each ? r->ids[i * r->each + k]
                                  : row_by_place(c, table, r->first, i);
            if (row >= table->rows)
                bug("%s: row %d of %d", c->op->name, row, table->rows);
            if (row < 0 || (back && !table->trained))
                continue;
            real *of_table = back ? gradient(table) : table->value;
            real *of_c = back ? c->gradient : c->value;
            of_table += row * c->cols;
            of_c += i * c->cols;
            row_add(back ? of_table : of_c, 1, back ? of_c : of_table, c->cols);
        }
}

static void
rows_forward(Node *c)
{
    memset(c->value, 0, size_of(c) * sizeof(real));
    add_rows(c, false);
}

static void
rows_backward(Node *c)
{
    add_rows(c, true);
}

Node *
embed(Node *table, const int *ids, int each, Node *positions, int first,
      int rows, int sequences)
{
    static const Operator op = {"embed", rows_forward, rows_backward};
    return make(&op, (Node *[]){table, positions}, positions ? 2 : 1,
                (Made){.rows = rows,
                       .sequences = sequences,
                       WITH((Rows){ids, each, positions, first})});
}

Node *
shift(Node *a, int by)
{
    static const Operator op = {"shift", rows_forward, rows_backward};
    if (by < 0)
        bug("shift: %s by %d: rows can only be moved down, which is towards "
            "later tokens",
            label(a), by);
    return make(&op, OF(a),
                (Made){WITH((Rows){.by_place = true, .first = -by})});
}

Node *
layer_norm(Node *x, Node *gain, Node *bias)
{
    static const Operator op = {"layer_norm", norm_forward, norm_backward};
    size_t keeps =
        size_of(x) + (size_t)x->rows + (size_t)x->cols * (size_t)ROWS_AT_A_TIME;
    return make(&op, OF(x, gain, bias), (Made){.keeps = keeps});
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
