/* attention_operands.c - the operands of attention, prepared and checked. */
#include "heart/attention_operands.h"
#include "heart/fail.h"

AttendFunction *
other_attend(const Attention *a, const Node *q)
{
    if (a->relative && a->relative->attend)
        return a->relative->attend;
    return q->tape->attend;
}

Node *
positioned(const Attention *a, Node *n, int position)
{
    if (a->relative && a->relative->rotated)
        return a->relative->rotated(n, position);
    return n;
}

Node *
cached(Node *n)
{
    Keeper *k = n->tape->keeper;
    return k ? k->all_rows(k, n) : n;
}

Node *
all_keys(const Attention *a, Node *keys)
{
    Keeper *k = keys->tape->keeper;
    /* A keeper calls positioned itself, before or after it keeps the keys. */
    return k ? k->all_keys(k, a, keys) : positioned(a, keys, FROM_START);
}

void
check_heads(const char *name, const Node *q, const Node *k)
{
    if (q->heads % k->heads || q->sequences != k->sequences)
        mismatch(name, q, k,
                 "the number of heads of the second must divide the first's, "
                 "and both need the same number of sequences; split gives a "
                 "matrix its heads");
}

void
check_queries_and_keys(const char *name, const Node *q, const Node *k)
{
    check_heads(name, q, k);
    if (q->cols / q->heads != k->cols / k->heads)
        mismatch(name, q, k,
                 "queries and keys need the same width in each head");
}

void
check_mask(const char *name, const Attention *a, const Node *q, int keys)
{
    const Keeper *k = q->tape->keeper;
    int earlier = k ? k->earlier : 0;
    int tokens = earlier + q->rows / q->sequences; /* of a sequence so far */
    if (a->causal && tokens != keys)
        bug("%s: a causal mask needs one key for each query, but there are %d "
            "keys and %d queries: compute both from the same tokens",
            name, keys, tokens);
}

void
attend_operands(const Attention *a, Node **q, Node **k, Node **v)
{
    *q = positioned(a, *q, a->position);
    *k = all_keys(a, *k);
    *v = cached(*v);
    check_queries_and_keys("attend", *q, *k);
    check_mask("attend", a, *q, (*k)->rows / (*k)->sequences);
    check_heads("attend", *q, *v);
    if ((*v)->rows != (*k)->rows)
        mismatch("attend", *k, *v,
                 "the second needs one row, a value, for each key");
}
