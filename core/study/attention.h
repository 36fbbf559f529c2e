/* attention.h - the attention maps of an example, printed and drawn. */
#ifndef ATTENTION_H
#define ATTENTION_H

#include "algebra/capture.h"
#include "config/build_model.h"
#include "config/tasks.h"
#include "study/drawing.h"
#include "study/escape.h"

/* Prints the weights of every head of m on the first test sequence, and draws
   them as figure "attention". */
void attention_show(const Drawing *o, Layout layout, Model *m,
                    const Dataset *data, const char *run);

/* Prints the weights of every head in a recorded pass on one sequence; nothing
   where there are none. */
void attention_print(const Model *m, const Dataset *data, const Batch *b,
                     const Capture *r);

#endif
