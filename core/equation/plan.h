/* plan.h - makes the plan of an equation that parse.h has read.

   On the way every matrix gets its shape. A width follows from the other factor
   of a product, or from a line that declares it; if neither gives it, it gets a
   default (choose_default_width in scalar.h). */
#ifndef PLAN_H
#define PLAN_H

#include "equation/steps.h"

/* Makes the plan of an equation. If something is wrong in the equation, exits
   with a message and a mark below the place. */
Plan *plan_make(const EquationText *e);

/* The shape options that the plan uses, in the form of Variant.shape: "heads
   d-k". */
const char *plan_shape(const Plan *p);

#endif
