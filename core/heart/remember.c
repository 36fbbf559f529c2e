/* remember.c - nodes that later blocks of the same forward pass use again.

   What is remembered is one more view on the tape, and is forgotten with the
   tape. */
#include "heart/fail.h"
#include "heart/tape.h"

/* The arguments of such a view: where it was remembered. */
typedef struct Remembered {
    int place, layer, slot;
} Remembered;

void
remember(Attention *a, int slot, Node *n)
{
    Node *c = view(n);
    c->heads = n->heads;
    keep_arguments(c, &(Remembered){a->place, a->layer, slot},
                   sizeof(Remembered));
}

Node *
recall(Attention *a, int slot, int layer)
{
    for (Node *n = a->tape ? a->tape->last : NULL; n; n = n->previous) {
        const Remembered *r = n->root == n ? NULL : n->arguments;
        if (r && r->place == a->place && r->layer == layer && r->slot == slot) {
            a->tape->recalled += layer != a->layer;
            return n;
        }
    }
    bug("recall: nothing was remembered in slot %d of block %d before block %d "
        "recalled it",
        slot, layer, a->layer);
}
