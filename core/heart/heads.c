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
    int sharing = heads / n->heads; /* how many heads use one head of n */
    Matrix m = head_of(n, at, 0, h / sharing); /* of sequence 0, the first */
    m.count = n->sequences;
    return m;
}
