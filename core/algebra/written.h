/* written.h - the equation of a variant, as its author wrote it, is run.

   An equation for people, which does not begin with "softmax(x ", claims
   nothing. Others are read by the grammar of NAME.eq (equation/tree.h), and
   computed with the variant's own matrices: they say the same if the outputs
   are equal. Names that are defined behind a semicolon, and a last W_i^O that
   is left out, are allowed. */
#ifndef WRITTEN_H
#define WRITTEN_H

#include "algebra/equal.h"

typedef enum Agreement {
    FOR_PEOPLE,
    AGREES,
    DISAGREES,
    NOT_COMPARED
} Agreement;

typedef struct Written {
    Agreement agreement;
    const char *why; /* NOT_COMPARED; how far apart: DISAGREES */
} Written;

/* Of the variant that was derived, at its shape and matrices. */
Written equation_compared(const Derived *d);

#endif
