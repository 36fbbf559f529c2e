/* rope_and_alibi.c - positions that a model puts into every variant's scores.
 */
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "heart/operators.h"
#include "heart/tape.h"
#include "operators/functions.h"
#include "operators/rotary_embedding.h"
#include "operators/scores_and_softmax.h"
#include "training/rope_and_alibi.h"

/* A rotation is linear, so add_rotated (operators/rotary_embedding.h) computes
   both its forward and its backward pass. */
const LinearOp rope_op = LINEAR("rope", add_rotated);

/* Implements Relative.rotated (heart/attention_operands.h): rotates n by RoPE,
   with the base of the paper, 10000. The first row of n is at `position`. make
   (heart/operators.h) makes the node of the operator with this Rotation. */
static Node *
rotate_by_rope(Node *n, int position)
{
    int head_width = n->cols / n->heads;
    if (head_width % 2)
        bug("positions rope: each head of %s has %d columns: give each head an "
            "even number of columns",
            label(n), head_width);
    Rotation rotation = {.position = position, .base = 10000};
    return make(&rope_op.op, OF(n), (Spec){WITH(rotation)});
}

const Relative rope = {.rotated = rotate_by_rope};

/* Implements Relative.biased: adds the bias of ALiBi to the scores s. */
static Node *
bias_by_alibi(Attention *a, Node *s)
{
    return fixed_bias(a, s, alibi_bias);
}

/* attend_in_steps (operators/scores_and_softmax.h) calls .biased between the
   scores and their softmax. */
const Relative alibi = {.biased = bias_by_alibi, .attend = attend_in_steps};

Attention
positioned_attention(const Config *c)
{
    Attention a = attention_of(c, ""); /* a resolved c needs no defaults */
    if (c->positions == POSITIONS_ROPE)
        a.relative = &rope;
    if (c->positions == POSITIONS_ALIBI)
        a.relative = &alibi;
    a.layers = c->layers;
    return a;
}

Node *
before_rope(Node *n)
{
    return n->op == &rope_op.op ? n->in[0] : n;
}

/* The slope of head i of h: 2^(-8 i / h) = e^-(8 i / h log 2). decay(x) is
   e^-x. Each thread remembers its latest slope, because most calls are for the
   same head as the call before. */
static double
slope(int i, int h)
{
    static _Thread_local double latest;
    static _Thread_local int latest_i, latest_h;
    if (i != latest_i || h != latest_h)
        latest = decay(8. * i / h * logarithm(2));
    latest_i = i;
    latest_h = h;
    return latest;
}

double
alibi_bias(const Attention *a, int head, int query, int key)
{
    int i = (a->scored + head) % a->heads + 1; /* from 1 on */
    return -slope(i, a->heads) * abs(query - key);
}
