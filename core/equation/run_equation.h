/* run_equation.h - an equation as a variant: the plan, carried out by the
   operators of <qkv/tape.h> and <qkv/attend.h>. */
#ifndef RUN_EQUATION_H
#define RUN_EQUATION_H

#include "equation/steps.h"

/* The variant that this text of an equation describes; it is never freed.
   Messages call the text `path`. Exits with a message if something is wrong. */
const Variant *variant_of_text(const char *path, const char *text);

/* The plan of a variant that was made from an equation; NULL for a plugin in C.
 */
const Plan *plan_of_variant(const Variant *v);

#endif
