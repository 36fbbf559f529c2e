/* positions.c - positions that a model puts into the scores of every variant.
 */
#include <stdlib.h>

#include "config/positions.h"
#include "heart/heads.h"
#include "heart/numbers.h"

static Node *
rotated_by_model(Node *n, int position)
{
    return rotated(n, (Rotation){position, ROPE_BASE, .by_model = true});
}

const Relative rope = {.rotated = rotated_by_model};
const Relative alibi = {.bias = alibi_bias};

Attention
positioned_attention(const Config *c)
{
    Attention a = attention_of(c);
    a.relative = c->positions == POSITIONS_ROPE    ? &rope
                 : c->positions == POSITIONS_ALIBI ? &alibi
                                                   : NULL;
    return a;
}

Node *
before_rope(Node *n)
{
    const Rotation *by = n->op == &rotate_op.op ? n->arguments : NULL;
    return by && by->by_model ? n->in[0] : n;
}

/* The slope of a head, kept from call to call: those of a row have the same. */
double
alibi_bias(const Attention *a, int head, int query, int key)
{
    static _Thread_local int heads, number;
    static _Thread_local double slope;
    int wanted = (a->scored + head) % a->heads + 1;
    if (heads != a->heads || number != wanted)
        slope = decay(8. * wanted / a->heads * logarithm(2));
    heads = a->heads;
    number = wanted;
    return -slope * abs(query - key);
}
