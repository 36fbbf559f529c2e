/* run_equation.h - an equation as a variant: the plan, carried out by the
   operators of <qkv/tape.h> and <qkv/attend.h>. */
#ifndef RUN_EQUATION_H
#define RUN_EQUATION_H

#include "equation/steps.h"

/* The variant of a plan. It lasts as long as the program. */
const Variant *variant_of_plan(const Plan *p);

/* Reads the file at `path`, an equation, and returns its variant. Exits with
   what is wrong. */
const Variant *equation_load(const char *path);

#endif
