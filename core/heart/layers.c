/* layers.c - the embedding and the loss, each with its derivative. */
#include <string.h>

#include "heart/fail.h"
#include "heart/layers.h"
#include "heart/rows.h"
#include "heart/tape.h"

/* The arguments of embed. */
typedef struct Embedded {
    const int *ids;
    int each;  /* ids of a token, of which -1 stands for none */
    int first; /* the position of the first token */
} Embedded;

enum { TOKENS, POSITIONS }; /* the operands of embed: its two tables */

/* Row i of C is the sum of the rows of the table of tokens that its ids name,
   and of one row of the table of positions, if there is one. Adds what the
   table k gives to C. */
static void
add_embedded(const Node *c, int k, real *of_c, real *of_table, bool back)
{
    const Embedded *e = c->arguments;
    int tokens = c->rows / c->sequences, d = c->cols;
    int summands = k == POSITIONS ? 1 : e->each;
    for (int i = 0; i < c->rows; i++)
        for (int n = 0; n < summands; n++) {
            int row = k == POSITIONS ? e->first + i % tokens
                                     : e->ids[i * e->each + n];
            if (row >= c->in[k]->rows)
                bug("embed: row %d does not exist in a table of %d rows: ids "
                    "and positions must be smaller",
                    row, c->in[k]->rows);
            if (row >= 0)
                add_between(of_c + i * d, of_table + row * d, d, back);
        }
}

const LinearOp embed_op = LINEAR("embed", add_embedded);

Node *
embed(Node *table, const int *ids, int each, Node *positions, int first,
      int rows, int sequences)
{
    return make(&embed_op.op, (Node *[]){table, positions}, positions ? 2 : 1,
                (Made){.rows = rows,
                       .sequences = sequences,
                       WITH((Embedded){ids, each, first})});
}

/* The arguments of cross_entropy. */
typedef struct Answers {
    const int *targets;
    int counted; /* rows of the whole batch that have a target */
} Answers;

/* C = sum of -log softmax(logits)[target] / counted, over the rows that have a
   target. Their softmaxes are kept. */
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
            bug("cross_entropy: target %d is not one of %d classes: targets "
                "must be smaller",
                target, classes);
        if (target < 0)
            continue;
        const real *row = logits->value + i * classes;
        real *p = c->kept + i * classes;
        memcpy(p, row, (size_t)classes * sizeof *p);
        sum += row_shares(p, classes) - (double)row[target];
    }
    c->value[0] = a->counted ? (real)(sum / a->counted) : 0;
}

/* In the forward pass each row gave log(sum of e^logits) - logits[target]. The
   derivative of the first term is softmax(logits), so now
   dLogits += (softmax(logits) - onehot(target)) dC / counted. */
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
        if (target < 0)
            continue;
        if (row[target] != row_max(row, classes))
            continue;
        /* If several logits are the largest, the first is the answer. */
        if (target == 0 || row_max(row, target) < row[target])
            correct++;
    }
    return correct;
}
