/* shift.c - rows that move to later tokens. */
#include "heart/fail.h"
#include "heart/tape.h"
#include "operators/shift.h"

/* Row t of each sequence of C is row t - by of A, and 0 for the first ones. */
static void
add_earlier(const Node *c, int k, real *of_c, real *of_a, bool back)
{
    (void)k;
    const int *by = c->arguments;
    int tokens = c->rows / c->sequences;
    for (int i = 0; i < c->rows; i++)
        if (i % tokens >= *by)
            add_between(of_c + i * c->cols, of_a + (i - *by) * c->cols, c->cols,
                        back);
}

const LinearOperator shift_op = {{"shift", linear_forward, linear_backward},
                                 add_earlier};

Node *
shift(Node *a, int by)
{
    if (by < 0)
        bug("shift: %s by %d rows: rows move to later tokens only; shift by 0 "
            "or more",
            label(a), by);
    return make(&shift_op.op, OF(a), (Made){WITH(by)});
}
