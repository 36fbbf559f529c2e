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
forward(Node *c)
{
    (tape_cache(c->tape) && c->rows == c->sequences ? query_forward
                                                    : attend_forward)(c);
}

static const Operator attention = {"attend", forward, attend_backward};

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
    Node *c = new_node(&attention, q->rows, q->heads * d_v,
                       (Node *[]){positioned(a, q, a->position), keyed, v}, 3);
    c->heads = q->heads;
    keep_arguments(c, &(Attended){scale, a->causal}, sizeof(Attended));
    size_t some = attend_keeps(c);
    size_t one = tape_cache(c->tape) ? query_keeps(c) : 0;
    c->kept = keep(c, some > one ? some : one);
    compute(c);
    if (a->recording)
        record_call(a->recording,
                    (Call){q, k, v, c, .scale = scale, .causal = a->causal});
    return c;
}

bool
is_attend(const Node *n)
{
    return n->op == &attention;
}
