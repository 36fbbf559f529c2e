/* run_equation.h - an equation as a variant: the plan, carried out by the
   operators of <qkv/tape.h> and <qkv/attend.h>. */
#ifndef RUN_EQUATION_H
#define RUN_EQUATION_H

#include "equation/steps.h"

/* The variant of a plan. It lasts as long as the program. */
const Variant *variant_of_plan(const Plan *p);

/* The plan of a variant that was made from an equation; NULL for others. */
const Plan *plan_of_variant(const Variant *v);

/* Reads an equation, and returns its variant; `path` is what messages call it.
   Exits with what is wrong. */
const Variant *variant_of_text(const char *path, const char *text);

#endif
