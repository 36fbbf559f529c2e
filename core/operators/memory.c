/* memory.c - what attention remembers: nodes of earlier blocks, and rows of
   earlier tokens. */
#include <string.h>

#include "heart/attention.h"
#include "heart/fail.h"
#include "heart/tape.h"

/* Remembering a node makes one more view of it on the tape, and writes into its
   arguments where it was remembered. So it is forgotten with the tape. */
enum { WHERE = 3 }; /* the place, the block and the slot */

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
    for (Node *n = a->tape ? a->tape->last : NULL; n; n = n->previous)
        if (n->root != n && n->arguments &&
            !memcmp(n->arguments, where, sizeof where)) {
            a->tape->recalled += layer != a->layer;
            return n;
        }
    bug("recall: block %d finds nothing in slot %d of block %d: call remember "
        "there first",
        a->layer, slot, layer);
}

Node *
cached(Node *n)
{
    return all_rows(NULL, n);
}
