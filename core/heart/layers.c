/* layers.c - sums of rows (embedding, positions, shift), and the loss, each
   with its derivative. */
#include <string.h>

#include "heart/fail.h"
#include "heart/layers.h"
#include "heart/operators.h"
#include "heart/rows.h"
#include "heart/tape.h"

/* Of a table, row i of C adds rows ids[i each], ids[i each + 1], ..., `each` of
   them (-1: none). Of another operand, and of all where `ids` is NULL, it adds
   row first + t, where t is the place of row i in its sequence (none if first +
   t is negative). */
typedef struct Rows {
    const int *ids;
    int each, first;
} Rows;

/* Row first + t of operand `from`; one of a single sequence serves all. */
static int
row_by_place(const Node *c, const Node *from, int first, int i)
{
    int t = i % (c->rows / c->sequences);
    if (t + first < 0)
        return -1;
    return first + (from->sequences == c->sequences ? i : t);
}

static void
add_rows(const Node *c, int k, real *of_c, real *of_k, bool back)
{
    const Rows *r = c->arguments;
    bool by_ids = r->ids && k == 0;
    int each = by_ids ? r->each : 1;
    for (int i = 0; i < c->rows * each; i++) {
        int row = by_ids ? r->ids[i] : row_by_place(c, c->in[k], r->first, i);
        if (row >= c->in[k]->rows)
            bug("%s: row %d of %d", c->op->name, row, c->in[k]->rows);
        if (row >= 0)
            add_between(of_c + i / each * c->cols, of_k + row * c->cols,
                        c->cols, back);
    }
}

const Linear embed_op = {{"embed", LINEAR}, add_rows};
const Linear shift_op = {{"shift", LINEAR}, add_rows};

Node *
embed(Node *table, const int *ids, int each, Node *positions, int first,
      int rows, int sequences)
{
    return make(&embed_op.op, (Node *[]){table, positions}, positions ? 2 : 1,
                (Made){.rows = rows,
                       .sequences = sequences,
                       WITH((Rows){ids, each, first})});
}

Node *
shift(Node *a, int by)
{
    if (by < 0)
        bug("shift: %s by %d: rows can only be moved down, which is towards "
            "later tokens",
            label(a), by);
    return make(&shift_op.op, OF(a), (Made){WITH((Rows){.first = -by})});
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

const Operator cross_entropy_op = {"cross_entropy", cross_entropy_forward,
                                   cross_entropy_backward};

Node *
cross_entropy(Node *logits, const int *targets, int counted)
{
    return make(&cross_entropy_op, OF(logits),
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
