/* run_equation.h - makes a variant from an equation: the operators of
   <qkv/tape.h> and <qkv/attend.h> carry out its plan. */
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
