/* recall.c - nodes of earlier blocks, and rows of earlier tokens. */
#include <string.h>

#include "heart/fail.h"
#include "heart/tape.h"
#include "operators/recall.h"

/* remember puts one more view of the node on the tape. The arguments of the
   view are three ints: the place, the block and the slot where it was
   remembered. No other view has arguments. Resetting the tape drops these
   views. */
enum { WHERE = 3 }; /* number of these ints */

void
remember(Attention *a, int slot, Node *n)
{
    Node *c = split(n, n->heads);
    keep_arguments(c, (int[WHERE]){a->place, a->layer, slot},
                   WHERE * sizeof(int));
}

Node *
recall(Attention *a, int slot, int layer)
{
    const int where[WHERE] = {a->place, layer, slot};
    for (Node *n = a->tape ? a->tape->last : NULL; n; n = n->previous) {
        bool remembered = n->root != n && n->arguments;
        if (remembered && !memcmp(n->arguments, where, sizeof where)) {
            a->tape->recalled += layer != a->layer;
            return n;
        }
    }
    bug("recall: block %d finds nothing in slot %d of block %d: call remember "
        "there first",
        a->layer, slot, layer);
}

/* In each sequence, row t of C is row t - by of A; the first `by` rows are 0.
 */
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

const LinearOp shift_op = LINEAR("shift", add_earlier);

Node *
shift(Node *a, int by)
{
    if (by < 0)
        bug("shift: %s by %d rows: rows move to later tokens only; shift by 0 "
            "or more",
            label(a), by);
    return make(&shift_op.op, OF(a), (Spec){WITH(by)});
}
