/* layers.c - embedding, positions, LayerNorm and loss, each with its way
   back. */
#include <math.h>
#include <string.h>

#include <qkv/operator.h>

#include "elementary.h"
#include "fail.h"
#include "layers.h"
#include "rows.h"
#include "tape.h"

/* dTable[id] += dC[t] for each id of token t */
static void
embed_backward(Node *c)
{
    Node *table = c->in[0];
    real *d = gradient(table);
    for (int i = 0; i < c->rows * c->first; i++) {
        if (c->list[i] < 0)
            continue;
        real *to = d + (size_t)c->list[i] * (size_t)c->cols;
        const real *from =
            c->gradient + (size_t)(i / c->first) * (size_t)c->cols;
        for (int j = 0; j < c->cols; j++)
            to[j] += from[j];
    }
}

Node *
embed(Node *table, const int *ids, int each, int rows, int sequences)
{
    Node *c = new_node(rows, table->cols, embed_backward, &table, 1);
    c->sequences = sequences;
    c->list = ids;
    c->first = each;
    if (!c->value)
        return c;
    memset(c->value, 0, (size_t)rows * (size_t)c->cols * sizeof(real));
    for (int i = 0; i < rows * each; i++) {
        if (ids[i] >= table->rows)
            bug("embed: id %d in a table of %d", ids[i], table->rows);
        if (ids[i] < 0)
            continue;
        real *to = c->value + (size_t)(i / each) * (size_t)c->cols;
        const real *from = table->value + (size_t)ids[i] * (size_t)c->cols;
        for (int j = 0; j < c->cols; j++)
            to[j] += from[j];
    }
    return c;
}

/* dX += dC,  dTable[t] += dC of token t, over all sequences */
static void
add_positions_backward(Node *c)
{
    Node *x = c->in[0], *table = c->in[1];
    size_t size = (size_t)c->rows * (size_t)c->cols;
    size_t period = (size_t)table->rows * (size_t)table->cols;
    real *dtable = table->trained ? gradient(table) : NULL;
    if (x->trained)
        add_gradient(x, c->gradient);
    for (size_t s = 0; dtable && s < size; s += period)
        for (size_t i = 0; i < period; i++)
            dtable[i] += c->gradient[s + i];
}

Node *
add_positions(Node *x, Node *table)
{
    if (x->rows != x->sequences * table->rows || x->cols != table->cols)
        bug("add_positions: (%d x %d) in %d sequences and (%d x %d) do not fit",
            x->rows, x->cols, x->sequences, table->rows, table->cols);
    Node *c = new_node(x->rows, x->cols, add_positions_backward,
                       (Node *[]){x, table}, 2);
    size_t size = (size_t)c->rows * (size_t)c->cols;
    size_t period = (size_t)table->rows * (size_t)table->cols;
    for (size_t s = 0; c->value && s < size; s += period)
        for (size_t i = 0; i < period; i++)
            c->value[s + i] = x->value[s + i] + table->value[i];
    return c;
}

/* With n = (x - mean) / deviation and g = gain dC, row by row:
   dGain += dC n,  dBias += dC,
   dX += (g - mean(g) - n mean(g n)) / deviation */
static void
layer_norm_backward(Node *c)
{
    Node *x = c->in[0];
    const real *gain = c->in[1]->value;
    real *dgain = gradient(c->in[1]), *dbias = gradient(c->in[2]);
    int d = c->cols;
    real *inverse = c->kept + (size_t)c->rows * (size_t)d;
    real *g = inverse + c->rows;
    for (int i = 0; i < c->rows; i++) {
        const real *n = c->kept + (size_t)i * (size_t)d;
        const real *dc = c->gradient + (size_t)i * (size_t)d;
        for (int j = 0; j < d; j++) {
            dgain[j] += dc[j] * n[j];
            dbias[j] += dc[j];
            g[j] = gain[j] * dc[j];
        }
        if (!x->trained)
            continue;
        real *dx = gradient(x) + (size_t)i * (size_t)d;
        real mean = row_sum(g, d) / (real)d, along = row_dot(g, n, d) / (real)d;
        for (int j = 0; j < d; j++)
            dx[j] += (g[j] - mean - n[j] * along) * inverse[i];
    }
}

Node *
layer_norm(Node *x, Node *gain, Node *bias)
{
    int d = x->cols;
    Node *c =
        new_node(x->rows, d, layer_norm_backward, (Node *[]){x, gain, bias}, 3);
    size_t size = (size_t)c->rows * (size_t)d;
    c->kept = keep(c, size + (size_t)c->rows + (size_t)d);
    for (int i = 0; c->value && i < c->rows; i++) {
        const real *from = x->value + (size_t)i * (size_t)d;
        real *n = c->kept + (size_t)i * (size_t)d;
        real *to = c->value + (size_t)i * (size_t)d;
        real mean = row_sum(from, d) / (real)d;
        for (int j = 0; j < d; j++)
            n[j] = from[j] - mean;
        real variance = row_dot(n, n, d) / (real)d;
        real inverse = 1 / SQRT(variance + (real)1e-5);
        for (int j = 0; j < d; j++) {
            n[j] *= inverse;
            to[j] = gain->value[j] * n[j] + bias->value[j];
        }
        c->kept[size + (size_t)i] = inverse;
    }
    return c;
}

/* dLogits += (softmax(logits) - onehot(target)) dC / counted, row by row */
static void
cross_entropy_backward(Node *c)
{
    Node *logits = c->in[0];
    int classes = logits->cols;
    real *d = gradient(logits), factor = c->gradient[0] / (real)c->first;
    for (int i = 0; i < logits->rows; i++, d += classes) {
        const real *p = c->kept + (size_t)i * (size_t)classes;
        if (c->list[i] < 0)
            continue;
        for (int j = 0; j < classes; j++)
            d[j] += factor * p[j];
        d[c->list[i]] -= factor;
    }
}

Node *
cross_entropy(Node *logits, const int *targets)
{
    int classes = logits->cols;
    Node *c = new_node(1, 1, cross_entropy_backward, &logits, 1);
    c->sequences = 1;
    c->list = targets;
    c->kept = keep(c, (size_t)logits->rows * (size_t)classes);
    if (!c->value)
        return c;
    double sum = 0;
    for (int i = 0; i < logits->rows; i++) {
        const real *row = logits->value + (size_t)i * (size_t)classes;
        real *p = c->kept + (size_t)i * (size_t)classes;
        if (targets[i] < 0)
            continue;
        if (targets[i] >= classes)
            bug("cross_entropy: target %d of %d classes", targets[i], classes);
        real max, z = row_exponentials(p, row, 1, classes, classes, &max);
        for (int j = 0; j < classes; j++)
            p[j] /= z;
        sum += logarithm(z) + (double)max - (double)row[targets[i]];
        c->first++;
    }
    c->value[0] = c->first ? (real)(sum / c->first) : 0;
    return c;
}

void
count_correct(const Node *logits, const int *targets, int *counted,
              int *correct)
{
    const real *row = logits->value;
    for (int i = 0; i < logits->rows; i++, row += logits->cols) {
        int best = 0;
        for (int j = 1; j < logits->cols; j++)
            best = row[j] > row[best] ? j : best;
        *counted += targets[i] >= 0;
        *correct += targets[i] >= 0 && targets[i] == best;
    }
}
