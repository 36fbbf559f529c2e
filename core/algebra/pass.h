/* pass.h - a forward pass of a model, recorded (algebra/recording.h). */
#ifndef PASS_H
#define PASS_H

#include "algebra/recording.h"
#include "config/build.h"

typedef struct Pass {
    Recording recording;
    Tape *tape;
    Node *logits;
} Pass;

/* Runs m on the batch; and, with_gradients, back from its loss: then every
   trained root on the tape still has its gradient. pass_free it. */
Pass *pass_recorded(Model *m, const Batch *b, bool with_gradients);
void pass_free(Pass *p);

#endif
