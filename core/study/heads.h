/* heads.h - what a model's heads are, whatever matrices they are written in. */
#ifndef HEADS_TABLE_H
#define HEADS_TABLE_H

#include "config/build_model.h"
#include "page/escape.h"

/* Prints the canonical form of every head (canonical.h), a row each; exits if a
   place has none. */
void heads_print(Layout layout, const Model *m);

#endif
