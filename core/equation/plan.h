/* plan.h - makes the plan of an equation that parse.h has read.

   On the way every matrix gets its shape. A width follows from the other factor
   of a product, or from the matrix's declaration. If neither determines it, it
   gets a default (choose_default_width in scalar.h). */
#ifndef PLAN_H
#define PLAN_H

#include "equation/steps.h"

/* Makes the plan of an equation. If the equation has an error, exits with a
   message that shows the line and marks the error. */
Plan *plan_make(const EquationText *e);

/* The shape options that the plan uses, in the form of Variant.shape, such as
   "heads d-k". */
const char *plan_shape(const Plan *p);

#endif
