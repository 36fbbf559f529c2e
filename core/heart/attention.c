/* attention.c - scaled dot-product attention as one operator.

   "Attention Is All You Need", equation 1, for every head of every sequence:
   P = softmax(mask(scale Q K')), O = P V. attend.c does the work; unfused.c has
   it as three operators. */
#include "heart/attend.h"
#include "heart/attention.h"
#include "heart/fail.h"
#include "heart/positions.h"
#include "heart/tape.h"

Matrix
head_of(const Node *n, real *at, int s, int h)
{
    int tokens = n->rows / n->sequences, width = n->cols / n->heads;
    ptrdiff_t sequence = (ptrdiff_t)tokens * n->cols;
    Matrix m = matrix(at + s * sequence + (ptrdiff_t)h * width, tokens, width,
                      n->cols);
    m.step = sequence;
    return m;
}

void
check_heads(const char *name, const Node *q, const Node *k)
{
    if (q->heads % k->heads || q->sequences != k->sequences)
        bug("%s: queries of %d heads in %d sequences, keys or values of %d in "
            "%d do not fit; split gives a matrix its heads",
            name, q->heads, q->sequences, k->heads, k->sequences);
}

void
check_scores(const char *name, const Node *q, const Node *k)
{
    check_heads(name, q, k);
    if (q->cols / q->heads != k->cols / k->heads)
        bug("%s: queries (%d x %d) of %d heads and keys (%d x %d) of %d heads "
            "differ in width per head",
            name, q->rows, q->cols, q->heads, k->rows, k->cols, k->heads);
}

void
check_mask(const char *name, const Attention *a, const Node *q, int keys)
{
    int tokens = q->rows / q->sequences + earlier_rows(q);
    if (a->causal && tokens != keys)
        bug("%s: a causal mask needs as many keys as queries, not %d and %d",
            name, keys, tokens);
}

static const Operator attention = {"attend", attend_forward, attend_backward};

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
        bug("attend: keys (%d x %d) and values (%d x %d) do not fit", k->rows,
            k->cols, v->rows, v->cols);
    if (a->relative == ALIBI)
        return apply_weights(a, softmax(a, scores(a, q, k, scale)), v);
    Node *c = new_node(&attention, q->rows, q->heads * d_v,
                       (Node *[]){positioned(a, q, a->position), keyed, v}, 3);
    c->heads = q->heads;
    keep_arguments(c, &(Attended){scale, a->causal}, sizeof(Attended));
    c->kept = keep(c, attend_keeps(c));
    return compute(c);
}

bool
is_attend(const Node *n)
{
    return n->op == &attention;
}
