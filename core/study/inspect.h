/* inspect.h - the heads of a trained run: their canonical forms, and their
   attention weights on an example. */
#ifndef INSPECT_H
#define INSPECT_H

#include "page/draw.h"
#include "page/escape.h"
#include "training/build_model.h"

/* Prints ranks and singular values of every head's canonical form
   (canonical.h), a row for each head, in the chosen columns (table.h). Fails if
   some attention has none. */
void heads_print(const char *chosen, Layout layout, const Model *m);

/* Draws the attention weights of every head on the first test sequence, as the
   figure "attention", and prints them: as pictures if the layout is ALIGNED,
   else as a table. */
void attention_show(const Drawing *o, const char *chosen, Layout layout,
                    Model *m, const Dataset *data, const char *run);

#endif
