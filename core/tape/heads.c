/* heads.c - the heads of a matrix, and what attention requires of their shapes.
 */
#include "heart/fail.h"
#include "tape/attend.h"

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
