/* plan.h - turns an equation that has been read into its plan.

   On the way every matrix gets its shape: a width follows from the other factor
   of a product, from a line that declares it, or by convention (scalar.h,
   choose_width). */
#ifndef PLAN_H
#define PLAN_H

#include "equation/steps.h"

/* Makes the plan of an equation. If something is wrong in the equation, exits
   with a message and a mark below the place. */
Plan *plan_make(const EquationText *e);

/* The options that it uses, as Variant.shape lists them. */
const char *plan_shape(const Plan *p);

#endif
