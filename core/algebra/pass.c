/* pass.c - a forward pass of a model, captured. */
#include <stdlib.h>

#include "algebra/pass.h"
#include "heart/fail.h"
#include "heart/layers.h"

static void
attended(void *capture, Node *x, Node *y, Node *out)
{
    record_place(capture, (Place){x, y, out, 0, 0});
}

Pass *
pass_captured(Model *m, const Batch *b, bool with_gradients)
{
    Pass *p = allocate(1, sizeof *p);
    int counted = counted_rows(b->targets, b->rows);
    p->tape = tape_new(IN_STEPS | (with_gradients ? KEEP_GRADIENTS : 0));
    p->capture.alone = EVERY_HEAD;
    capture_start(&p->capture, p->tape);
    m->attended = attended;
    m->to = &p->capture;
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
