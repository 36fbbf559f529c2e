/* embedding_and_loss.c - the embedding and the loss (cross-entropy), each with
   its derivative. A model's Architecture (model.h) says which loss it has. */
#include <string.h>

#include "heart/fail.h"
#include "heart/embedding_and_loss.h"
#include "heart/rows.h"
#include "heart/tape.h"

enum { TOKENS, POSITIONS }; /* the operands of embed: its two tables */

/* The LinearAdd (operators.h) of embed, for table k. To row i of C, a token, it
   adds a row of TOKENS for each id of the token, or one row of POSITIONS for
   the token's position in its sequence. */
static void
add_embedded(const Node *c, int k, real *of_c, real *of_table, bool back)
{
    const TokenIds *t = c->arguments;
    int length = c->rows / c->sequences, d = c->cols;
    bool by_position = k == POSITIONS;
    int summands = by_position ? 1 : t->each;
    for (int i = 0; i < c->rows; i++)
        for (int n = 0; n < summands; n++) {
            int row =
                by_position ? t->first + i % length : t->ids[i * t->each + n];
            if (row >= c->in[k]->rows)
                bug("embed: %s %d must be below %d, its table's number of rows",
                    by_position ? "position" : "id", row, c->in[k]->rows);
            if (row >= 0) /* not the id -1 */
                add_between(of_c + i * d, of_table + row * d, d, back);
        }
}

const LinearOp embed_op = LINEAR("embed", add_embedded);

Node *
embed(Node *table, Node *positions, TokenIds tokens)
{
    Spec with = {
        .rows = tokens.rows, .sequences = tokens.sequences, WITH(tokens)};
    int tables = positions ? 2 : 1;
    return make(&embed_op.op, (Node *[]){table, positions}, tables, with);
}

/* The arguments of cross_entropy. */
typedef struct Answers {
    const int *targets;
    int counted; /* rows of the whole batch that have a target */
} Answers;

/* C = (the sum of -log softmax(logits)[target] over the rows that have a
   target) / counted. The softmax of each of these rows is kept. */
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
            bug("cross_entropy: target %d of row %d is not one of %d classes: "
                "give targets from 0 to %d, or -1 for none",
                target, i, classes, classes - 1);
        if (target < 0)
            continue;
        const real *row = logits->value + i * classes;
        real *p = c->kept + i * classes;
        memcpy(p, row, (size_t)classes * sizeof *p);
        sum += row_probabilities(p, classes) - (double)row[target];
    }
    c->value[0] = a->counted ? (real)(sum / a->counted) : 0;
}

/* In the forward pass each row with a target gave log(sum of e^logits) -
   logits[target]. The derivative of the first term is softmax(logits), so now
   dLogits += (softmax(logits) - onehot(target)) dC / counted, where onehot is 1
   at the target and 0 elsewhere. If `counted` is 0, no row has a target, and
   `factor` is not used. */
static void
cross_entropy_backward(Node *c)
{
    const Answers *a = c->arguments;
    int rows = c->in[0]->rows, classes = c->in[0]->cols;
    real *d = gradient(c->in[0]), *p = c->kept; /* of row i */
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
                (Spec){.rows = 1,
                       .cols = 1,
                       .sequences = UNBATCHED,
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
        /* The answer is the first of the largest logits: no logit is larger
           than the target's, and each one before it is smaller. */
        if (target >= 0 && row[target] == row_max(row, classes))
            correct += target == 0 || row_max(row, target) < row[target];
    }
    return correct;
}
