/* heads.c - the heads of a matrix. */
#include "heart/heads.h"

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

Matrix
shared_head(const Node *n, int h, int heads, real *at)
{
    Matrix m = head_of(n, at, 0, h / (heads / n->heads));
    m.count = n->sequences;
    return m;
}
