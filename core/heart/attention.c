/* attention.c - scaled dot-product attention as one operator.

   "Attention Is All You Need", equation 1, for every head of every sequence:
   P = softmax(mask(scale Q K')), O = P V. attend.c does the work; unfused.c has
   it as three operators. */
#include "heart/attend.h"
#include "heart/attention.h"
#include "heart/heads.h"
#include "heart/operators.h"
#include "heart/positions.h"
#include "heart/tape.h"

const Operator attend_op = {"attend", attend_forward, attend_backward};

Node *
attend(Attention *a, Node *q, Node *k, Node *v, double scale)
{
    Node *keyed = all_keys(a, k);
    k = keyed->rows == k->rows ? k : keyed;
    v = all_rows(v);
    int keys = k->rows / k->sequences, d_v = v->cols / v->heads;
    check_scores("attend", q, k);
    check_heads("attend", q, v);
    check_mask("attend", a, q, keys);
    if (v->rows != k->rows)
        mismatch("attend", k, v, "keys and values have as many rows");
    if (a->relative == ALIBI)
        return apply_weights(a, softmax(a, scores(a, q, k, scale)), v);
    Node *c = new_node(&attend_op, q->rows, q->heads * d_v,
                       (Node *[]){positioned(a, q, a->position), keyed, v}, 3);
    c->heads = q->heads;
    keep_arguments(c, &(Attended){scale, a->causal}, sizeof(Attended));
    c->kept = keep(c, attend_keeps(c));
    return compute(c);
}
