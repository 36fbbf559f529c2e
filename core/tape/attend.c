/* attend.c - scaled dot-product attention as one operator.

   "Attention Is All You Need", equation 1, for every head of every sequence:
   P = softmax(mask(scale Q K')), O = P V. The work is done strip by strip
   (strips.c), or for one query (query.c); tests/plain/attend.c does the same in
   four loops, and steps.c has it as three operators. */
#include "base/fail.h"
#include "tape/attend.h"
#include "tape/cache.h"
#include "tape/recording.h"
#include "tape/tape.h"

/* A decoder goes on from one token, or from several. */
static void
compute(Node *c)
{
    bool decodes = tape_cache(c->tape);
    size_t some = attend_keeps(c), one = decodes ? query_keeps(c) : 0;
    c->kept = keep(c, some > one ? some : one);
    if (c->value)
        (decodes && c->rows == c->sequences ? query_forward
                                            : attend_forward)(c);
}

Node *
attend(Attention *a, Node *q, Node *k, Node *v, double scale)
{
    Node *keyed = all_keys(a, k, a->relative != ALIBI);
    k = keyed->rows == k->rows ? k : keyed;
    v = all_rows(v);
    int keys = k->rows / k->sequences, d_v = v->cols / v->heads;
    check_scores("attend", q, k);
    check_heads("attend", q, v);
    check_mask("attend", a, q, keys);
    if (v->rows != k->rows)
        bug("attend: keys (%d x %d) and values (%d x %d) do not fit", k->rows,
            k->cols, v->rows, v->cols);
    if (a->relative == ALIBI)
        return apply_weights(a, softmax(a, scores(a, q, k, scale)), v);
    Node *c = new_node(q->rows, q->heads * d_v, attend_backward,
                       (Node *[]){positioned(a, q, a->position), keyed, v}, 3);
    double to_score = pair_flops(q, keys, q->cols / q->heads);
    double to_weigh = pair_flops(q, keys, d_v);
    c->heads = q->heads;
    keep_arguments(c, &(Attended){scale, a->causal}, sizeof(Attended));
    c->flops[0] = to_score + to_weigh;
    c->flops[1] = to_score * (q->trained + k->trained) +
                  to_weigh * ((q->trained || k->trained) + v->trained);
    compute(c);
    if (a->recording)
        record_call(a->recording,
                    (Call){q, k, v, c, .scale = scale, .causal = a->causal});
    return c;
}

bool
is_attend(const Node *n)
{
    return n->backward == attend_backward;
}
