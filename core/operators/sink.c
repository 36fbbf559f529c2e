/* sink.c - softmax with a sink: one more key, which has no value. */
#include <string.h>

#include "heart/attention.h"
#include "heart/rows.h"
#include "heart/tape.h"
#include "operators/sink.h"

/* P = softmax(mask(S)) of each row of each head and its sink, whose score comes
   after those of the keys that the query sees. The weight of the sink is kept;
   after the weights of all rows, `kept` has space for one row with its sink. */
static void
sink_forward(Node *c)
{
    const Attended *with = c->arguments;
    int keys = c->cols / c->heads, tokens = c->rows / c->sequences;
    real *row = c->kept + c->rows * c->heads;
    for (int i = 0; i < c->rows * c->heads; i++) {
        int t = i / c->heads % tokens;
        int seen = keys_seen(with->causal, t, tokens, keys);
        memcpy(row, c->in[0]->value + i * keys, (size_t)seen * sizeof *row);
        row[seen] = c->inputs > 1 ? c->in[1]->value[i % c->heads] : 0;
        row_softmax(row, seen + 1, keys + 1);
        c->kept[i] = row[seen];
        row[seen] = 0;
        memcpy(c->value + i * keys, row, (size_t)keys * sizeof *row);
    }
}

/* As for softmax, dS += P (dP - mean) with mean = rowsum(P dP). A sink of
   weight p has no value, so its dP is 0: dSink += -p mean. */
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
                 "the second needs one row, with a number for each head");
    size_t keeps = (size_t)s->rows * (size_t)s->heads + (size_t)keys + 1;
    return make(&softmax_sink_op, (Node *[]){s, sink}, sink ? 2 : 1,
                (Made){WITH((Attended){1, a->causal}), .keeps = keeps});
}
