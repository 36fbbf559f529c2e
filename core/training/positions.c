/* positions.c - positions that a model puts into the scores of every variant.
 */
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "heart/operators.h"
#include "heart/tape.h"
#include "operators/functions.h"
#include "operators/rotate.h"
#include "operators/steps.h"
#include "training/positions.h"

const LinearOp rope_op = LINEAR("rope", add_rotated);

/* Relative.rotated of RoPE. */
static Node *
rotated(Node *n, int position)
{
    if (n->cols / n->heads % 2)
        bug("positions rope: %s of %d heads: each head needs an even number of "
            "columns",
            label(n), n->heads);
    return make(&rope_op.op, OF(n), (Made){WITH((Rotation){position, 10000})});
}

const Relative rope = {.rotated = rotated};

static Node *
biased(Attention *a, Node *s)
{
    return fixed_bias(a, s, alibi_bias);
}

const Relative alibi = {.biased = biased, .attend = attend_in_steps};

Attention
positioned_attention(const Config *c)
{
    Attention a = attention_of(c, "");
    a.relative = c->positions == POSITIONS_ROPE    ? &rope
                 : c->positions == POSITIONS_ALIBI ? &alibi
                                                   : NULL;
    a.layers = c->layers;
    return a;
}

Node *
before_rope(Node *n)
{
    return n->op == &rope_op.op ? n->in[0] : n;
}

/* Keeps the slope that it computed last, because consecutive calls are for the
   same head. */
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
