/* remember.h - nodes that later blocks use again. */
#ifndef REMEMBER_H
#define REMEMBER_H

#include <qkv/operator.h>

/* Is there a node on the tape, made after `since` (NULL: at all), that a block
   recalled from an earlier one? */
bool recalled_since(const Tape *t, const Node *since);

#endif
