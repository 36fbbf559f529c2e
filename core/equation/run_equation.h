/* run_equation.h - makes a variant from an equation. The variant calls the
   operators of <qkv/tape.h> and <qkv/attend.h> in the order of its plan
   (steps.h). */
#ifndef RUN_EQUATION_H
#define RUN_EQUATION_H

#include "equation/steps.h"

/* The variant that an equation describes, from its text. It is never freed.
   Messages call the text `path`. Exits with a message if the text is wrong. */
const Variant *variant_of_text(const char *path, const char *text);

/* The plan of a variant. NULL if the variant is not from an equation, but a
   plugin in C. */
const Plan *plan_of_variant(const Variant *v);

#endif
