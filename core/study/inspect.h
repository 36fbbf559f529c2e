/* inspect.h - what a trained run's heads are, and which token looks at which.
 */
#ifndef INSPECT_H
#define INSPECT_H

#include "page/draw.h"
#include "page/escape.h"
#include "training/build_model.h"

/* Prints the canonical form of every head (canonical.h), a row each, whatever
   matrices it is written in; exits if a place has none. */
void heads_print(Layout layout, const Model *m);

/* Draws the weights of every head of m on the first test sequence as figure
   "attention"; and prints them: as pictures if aligned, else as a table. */
void attention_show(const Drawing *o, Layout layout, Model *m,
                    const Dataset *data, const char *run);

#endif
