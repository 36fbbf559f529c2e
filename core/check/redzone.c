/* redzone.c - did operators write all of their matrices, and nothing else?

   Every byte of a guarded tape is UNWRITTEN at first, which makes an entry a
   NaN that arithmetic hands on; behind each matrix as many bytes must stay so.
 */
#include "check/redzone.h"
#include "heart/fail.h"

static bool
unwritten(const real *from, size_t count)
{
    const unsigned char *at = (const unsigned char *)from;
    size_t i = 0, bytes = count * sizeof *from;
    while (i < bytes && at[i] == UNWRITTEN)
        i++;
    return i == bytes;
}

static void
verify(const Node *n)
{
    size_t count = size_of(n);
    if (!unwritten(n->value + count, count) ||
        (n->gradient && !unwritten(n->gradient + count, count)))
        bug("something was written past the end of an operator's result, or "
            "of its gradient (%d x %d)",
            n->rows, n->cols);
    for (int i = 0; i < n->rows; i++)
        for (int j = 0; j < n->cols; j++)
            if (unwritten(n->value + (size_t)i * (size_t)n->cols + j, 1))
                bug("an operator with result (%d x %d) did not write its row "
                    "%d, column %d, or read past the end of an operand",
                    n->rows, n->cols, i + 1, j + 1);
}

/* The first to be wrong is the one to blame. */
void
tape_verify(const Tape *t)
{
    Node *first = NULL;
    for (Node *n = tape_last(t); n; n = n->previous)
        if (n->root == n && n->in) {
            n->next = first;
            first = n;
        }
    for (const Node *n = first; n; n = n->next)
        verify(n);
}
