/* written_equation.h - runs the equation that a variant's author wrote beside
   its code.

   The equation is read with the grammar of NAME.eq (equation/parse.h) and the
   variant's settings. It is computed with the variant's matrices, whose names
   lose their index in the grammar: W^Q for W_i^Q. It agrees with the code if
   the outputs are equal up to rounding. An equation that begins with "note:",
   or names no matrix of the code, is meant for people. */
#ifndef WRITTEN_EQUATION_H
#define WRITTEN_EQUATION_H

#include "algebra/equal.h"

typedef enum Agreement { A_NOTE, AGREES, DISAGREES } Agreement;

typedef struct Written {
    Agreement agreement;
    const char *why; /* why the equation disagrees, or is a note; NULL if it
                        agrees. Valid until the next comparison. */
} Written;

/* Compares the code of d's variant with its equation, at the shape and with the
   matrices of d and, if it is known, of d->there. */
Written equation_compared(const Derived *d);

#endif
