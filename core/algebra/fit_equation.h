/* fit_equation.h - the `fit` of an equation that is written as products of
   matrices. It does for an equation what Variant.fit does for a plugin in C. */
#ifndef FIT_EQUATION_H
#define FIT_EQUATION_H

#include "equation/steps.h"

/* Returns whether the equation's matrices can be computed from M and N. Its
   queries, keys, values and output have to be products with matrices. In each
   product, every matrix except the last has to be square and shared by all
   heads; but keys and values may begin with the same matrix of any shape. */
bool plan_has_fit(const Plan *p);

/* Fills the matrices of an equation for which plan_has_fit is true, as
   Variant.fit does. Exits if its scores or its output are multiplied by 0, or
   if one matrix makes queries and keys and the scale is negative. */
void plan_fit(const Plan *p, const Form *f, const Attention *a, Entries *w);

#endif
