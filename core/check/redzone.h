/* redzone.h - did operators write all of their matrices, and nothing else? */
#ifndef REDZONE_H
#define REDZONE_H

#include "heart/tape.h"

/* Of a tape with RED_ZONES: aborts if an operator has written past the end of
   its value or gradient, or has not written all of its value. */
void tape_verify(const Tape *t);

#endif
