/* remember.c - nodes that later blocks of the same forward pass use again.

   What is remembered is one more view on the tape, and so is what is recalled:
   both are forgotten with the tape. */
#include "heart/fail.h"
#include "heart/remember.h"
#include "heart/tape.h"

/* The arguments of such a view: where it was remembered, and the block that
   recalled it, or -1. */
typedef struct Remembered {
    int place, layer, slot, recalled_by;
} Remembered;

/* Those of a node; NULL if it is no such view. */
static const Remembered *
remembered(const Node *n)
{
    return n->root == n ? NULL : n->arguments;
}

static Node *
view_of(Node *n, Remembered r)
{
    Node *c = view(n);
    c->heads = n->heads;
    keep_arguments(c, &r, sizeof r);
    return c;
}

void
remember(Attention *a, int slot, Node *n)
{
    view_of(n, (Remembered){a->place, a->layer, slot, -1});
}

Node *
recall(Attention *a, int slot, int layer)
{
    for (Node *n = a->tape ? a->tape->last : NULL; n; n = n->previous) {
        const Remembered *r = remembered(n);
        if (r && r->place == a->place && r->layer == layer && r->slot == slot)
            return view_of(n, (Remembered){a->place, layer, slot, a->layer});
    }
    bug("recall: nothing was remembered in slot %d of block %d before block %d "
        "recalled it",
        slot, layer, a->layer);
}

bool
recalled_since(const Tape *t, const Node *since)
{
    for (const Node *n = t->last; n && n != since; n = n->previous) {
        const Remembered *r = remembered(n);
        if (r && r->recalled_by >= 0 && r->recalled_by != r->layer)
            return true;
    }
    return false;
}
