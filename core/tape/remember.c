/* remember.c - nodes that later blocks of the same forward pass use again.

   What is remembered is one more view on the tape, so it is forgotten with the
   tape; recall looks back for it. */
#include "base/fail.h"
#include "tape/attend.h"
#include "tape/recording.h"
#include "tape/tape.h"

typedef struct Remembered {
    int place, layer, slot;
} Remembered;

void
remember(Attention *a, int slot, Node *n)
{
    Node *kept = view(n);
    kept->heads = n->heads;
    keep_arguments(kept, &(Remembered){a->place, a->layer, slot},
                   sizeof(Remembered));
}

Node *
recall(Attention *a, int slot, int layer)
{
    if (a->recording)
        a->recording->recalled |= layer != a->layer;
    for (Node *n = a->tape ? tape_last(a->tape) : NULL; n; n = n->previous) {
        const Remembered *r = n->root == n ? NULL : n->arguments;
        if (r && r->place == a->place && r->layer == layer && r->slot == slot)
            return n;
    }
    bug("recall: nothing was remembered in slot %d of block %d before block %d "
        "recalled it",
        slot, layer, a->layer);
}
