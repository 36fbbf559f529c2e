/* heads.c - views of one head of a matrix. */
#include "heart/heads.h"

Matrix
head_of(const Node *n, real *at, int s, int h)
{
    int tokens = n->rows / n->sequences, width = n->cols / n->heads;
    ptrdiff_t sequence = (ptrdiff_t)tokens * n->cols; /* entries of one */
    Matrix m = matrix(at + s * sequence + (ptrdiff_t)h * width, tokens, width,
                      n->cols);
    m.step = sequence;
    return m;
}

Matrix
shared_head(const Node *n, real *at, int h, int heads)
{
    /* heads / n->heads neighbouring heads share one head of n. The batch begins
       with sequence 0. */
    Matrix m = head_of(n, at, 0, h / (heads / n->heads));
    m.count = n->sequences;
    return m;
}
