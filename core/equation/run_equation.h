/* run_equation.h - an equation as a variant: the plan, carried out by the
   operators of <qkv/tape.h> and <qkv/attend.h>. */
#ifndef RUN_EQUATION_H
#define RUN_EQUATION_H

#include "equation/steps.h"

/* Reads an equation, and returns its variant, which is never freed; messages
   call it `path`. Exits with a message if something is wrong. */
const Variant *variant_of_text(const char *path, const char *text);

/* The plan of a variant that was made from an equation; NULL for others. */
const Plan *plan_of_variant(const Variant *v);

#endif
