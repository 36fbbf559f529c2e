/* written_equation.h - runs the equation that a variant's author wrote beside
   its code.

   It is read by the grammar of NAME.eq (equation/parse.h), with the variant's
   settings, and computed with the variant's matrices, under the names that the
   grammar gives them: W^Q for W_i^Q. It agrees with the code if the outputs are
   equal. An equation that begins with "note:", or names no matrix of the code,
   is meant for people. */
#ifndef WRITTEN_EQUATION_H
#define WRITTEN_EQUATION_H

#include "algebra/equal.h"

typedef enum Agreement { A_NOTE, AGREES, DISAGREES } Agreement;

typedef struct Written {
    Agreement agreement;
    const char *why; /* why it disagrees, or is a note; NULL if it agrees. The
                        next comparison overwrites it. */
} Written;

/* Compares the equation of the variant that was derived with its code, at the
   shape and with the matrices of d. */
Written equation_compared(const Derived *d);

#endif
