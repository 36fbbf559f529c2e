/* biases.c - operators on scores: a bias by position, a softmax with a sink,
   and a mask without a softmax.

   Scores and weights are matrices (tokens x heads*keys). The entries of one
   token in one head are neighbours, and are called a row of a head. Over all
   sequences there are tokens * heads such rows: row i belongs to token i /
   heads, head i % heads. */
#include <string.h>

#include "heart/attention_operands.h"
#include "heart/rows.h"
#include "operators/biases.h"
#include "operators/scores_and_softmax.h"

/* C = S + b(head, query, key). The bias is the same in all sequences, so it is
   computed once for an entry of the first one, and added to that entry of every
   sequence. */
static void
bias_forward(Node *c)
{
    const PositionBias *b = c->arguments;
    int keys = c->cols / c->heads, size = c->rows * c->cols;
    int sequence = size / c->sequences; /* its number of entries */
    memcpy(c->value, c->in[0]->value, (size_t)size * sizeof(real));
    for (int entry = 0; entry < sequence; entry++) {
        int row = entry / keys, key = entry % keys; /* row of a head */
        int head = row % c->heads, token = row / c->heads;
        int query = b->attention.position + token;
        double bias = b->bias(&b->attention, head, query, key);
        for (int i = entry; i < size; i += sequence)
            c->value[i] += (real)bias;
    }
}

/* In the forward pass C was S + b, so now dS += dC. If b was -INFINITY, the
   softmax of C gave a weight of 0, so dC is 0. */
static void
bias_backward(Node *c)
{
    add_gradient(c->in[0], c->gradient);
}

const Operator fixed_bias_op = {"fixed_bias", bias_forward, bias_backward};

Node *
fixed_bias(Attention *a, Node *s, Bias *bias)
{
    return make(&fixed_bias_op, OF(s), (Spec){WITH((PositionBias){*a, bias})});
}

Node *
attend_biased(Attention *a, Node *q, Node *k, Node *v, double scale, Bias *bias)
{
    Node *s = fixed_bias(a, scores(a, q, k, scale), bias);
    return apply_weights(a, softmax(a, s), v);
}

/* C = A in the entries that are not masked, and 0 in all others */
static void
add_seen(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    (void)k;
    int keys = c->cols / c->heads;
    for (int i = 0; i < c->rows * c->heads; i++)
        add_between(of_c + i * keys, of_a + i * keys, row_sees(c, i), back);
}

const LinearOp mask_zero_op = LINEAR("mask_zero", add_seen);

Node *
mask_zero(Attention *a, Node *s)
{
    check_mask("mask_zero", a, s, s->cols / s->heads);
    return make(&mask_zero_op.op, OF(s), (Spec){MASK_OF(a)});
}

/* P = softmax(mask(S)) in each row of each head, with a sink. The scores that
   the query sees are copied, with the sink's score after them, and the softmax
   is taken of the copy, which sets the rest of it to 0. Then the sink's weight
   is taken out of the copy, at the index of the first masked key, if there is
   one. c->kept has the sink's weight of every row, and then memory for the copy
   of one row. */
static void
sink_forward(Node *c)
{
    int keys = c->cols / c->heads;
    real *row = c->kept + c->rows * c->heads;
    for (int i = 0; i < c->rows * c->heads; i++) {
        int seen = row_sees(c, i);
        memcpy(row, c->in[0]->value + i * keys, (size_t)seen * sizeof *row);
        row[seen] = c->inputs > 1 ? c->in[1]->value[i % c->heads] : 0;
        row_softmax(row, seen + 1, keys + 1);
        c->kept[i] = row[seen];
        row[seen] = 0;
        memcpy(c->value + i * keys, row, (size_t)keys * sizeof *row);
    }
}

/* In the forward pass a row was a softmax, so now dS += P (dP - mean) with
   mean = rowsum(P dP). The sink was one entry of that softmax, with a weight p.
   It has no value, so its dP is 0, and dSink += p (0 - mean). */
static void
sink_backward(Node *c)
{
    Node *sink = c->inputs > 1 ? c->in[1] : NULL;
    for (int i = 0; i < c->rows * c->heads; i++) {
        real mean = softmax_row_backward(c, i);
        if (sink && sink->trained)
            gradient(sink)[i % c->heads] -= c->kept[i] * mean;
    }
}

const Operator softmax_sink_op = {"softmax_sink", sink_forward, sink_backward};

Node *
softmax_sink(Attention *a, Node *s, Node *sink)
{
    int keys = s->cols / s->heads;
    check_mask("softmax_sink", a, s, keys);
    if (sink && (sink->rows != 1 || sink->cols != s->heads))
        mismatch("softmax_sink", s, sink,
                 "the second needs one row, with a column for each head");
    /* the parts of c->kept, which sink_forward fills */
    size_t sink_weights = (size_t)s->rows * (size_t)s->heads;
    size_t copied_row = (size_t)keys + 1;
    Spec with = {MASK_OF(a), .keeps = sink_weights + copied_row};
    if (sink)
        return make(&softmax_sink_op, OF(s, sink), with);
    return make(&softmax_sink_op, OF(s), with);
}
