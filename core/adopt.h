/* adopt.h - from a canonical form to the matrices of a variant. */
#ifndef ADOPT_H
#define ADOPT_H

#include <stdbool.h>

#include <qkv/real.h>

#include "canonical.h"
#include "plugin.h"

/* Fills values[i] (rows x cols, as w declares them) so that v computes the
   canonical form c at attention a, as nearly as it can. False where v cannot
   adopt one, or has fewer heads than c. */
bool adopt(const Variant *v, const Attention *a, const Weights *w,
           const Canonical *c, real *const *values);

/* The largest distance between two canonical forms, head by head, of s M and
   of N, relative to the largest entry of b; b's heads past a's count as 0. */
double form_distance(const Canonical *a, const Canonical *b);

#endif
