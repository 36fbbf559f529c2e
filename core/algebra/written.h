/* written.h - the equation of a variant, as its author wrote it, is run.

   It is read by the grammar of NAME.eq (equation/tree.h), with the settings of
   the variant, and computed with the variant's own matrices, which have the
   names that the grammar gives them: W^Q for W_i^Q. It says the same as the
   code if the outputs are equal. An equation that begins with "note:", or that
   names no matrix of the code, is for people. */
#ifndef WRITTEN_H
#define WRITTEN_H

#include "algebra/equal.h"

typedef enum Agreement { A_NOTE, AGREES, DISAGREES } Agreement;

typedef struct Written {
    Agreement agreement;
    const char *why; /* it disagrees, or is a note; NULL of AGREES */
} Written;

/* Of the variant that was derived, at its shape and matrices. */
Written equation_compared(const Derived *d);

#endif
