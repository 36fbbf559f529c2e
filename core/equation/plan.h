/* plan.h - from an equation that has been read to its plan.

   On the way every matrix gets its shape: a width follows from what it is
   multiplied with, from a line that declares it, or by convention (scalar.h,
   choose_width). */
#ifndef PLAN_H
#define PLAN_H

#include "equation/steps.h"

/* Makes the plan of an equation; exits with what is wrong in it, and a mark
   below the place. */
Plan *plan_make(const EquationText *e);

/* The options that it uses, as Variant.shape lists them. */
const char *plan_shape(const Plan *p);

#endif
