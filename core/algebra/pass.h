/* pass.h - a forward pass of a model, captured (algebra/capture.h). */
#ifndef PASS_H
#define PASS_H

#include "algebra/capture.h"
#include "config/build_model.h"

typedef struct Pass {
    Capture capture;
    Tape *tape;
    Node *logits;
} Pass;

/* Runs m on the batch; and, with_gradients, back from its loss: then every
   trained root on the tape still has its gradient. pass_free it. */
Pass *pass_captured(Model *m, const Batch *b, bool with_gradients);
void pass_free(Pass *p);

#endif
