/* pass.c - a forward pass of a model, recorded. */
#include <stdlib.h>

#include "algebra/pass.h"
#include "heart/fail.h"
#include "heart/layers.h"

static void
attended(void *recording, Node *x, Node *y, Node *out)
{
    record_place(recording, (Place){x, y, out, 0, 0});
}

Pass *
pass_recorded(Model *m, const Batch *b, bool with_gradients)
{
    Pass *p = allocate(1, sizeof *p);
    int counted = counted_rows(b->targets, b->rows);
    p->tape = tape_new(with_gradients ? KEEP_GRADIENTS : 0);
    p->recording.replaced = NOTHING;
    recording_start(&p->recording, p->tape);
    m->attended = attended;
    m->to = &p->recording;
    p->logits = model_forward(m, p->tape, b);
    m->attended = NULL;
    p->tape->watch = NULL;
    if (with_gradients)
        backward(
            m->architecture->loss(m, p->logits, b->targets, counted, NULL));
    return p;
}

void
pass_free(Pass *p)
{
    tape_free(p->tape);
    free(p);
}
