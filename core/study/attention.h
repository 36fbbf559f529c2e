/* attention.h - the attention maps of a test example as a figure. */
#ifndef ATTENTION_MAPS_H
#define ATTENTION_MAPS_H

#include "config/build_model.h"
#include "page/draw.h"
#include "page/escape.h"

/* Draws the weights of every head of m on the first test sequence as figure
   "attention"; and prints them: as pictures if aligned, else as a table. */
void attention_show(const Drawing *o, Layout layout, Model *m,
                    const Dataset *data, const char *run);

#endif
