/* regroup.h - a layer with fewer heads of keys and values.

   The heads of a group share one W^K and one W^V afterwards. Usually these are
   the means of the heads' matrices. But an entry of W^K means nothing across
   heads: W^Q A and W^K A^-T are the same head for every invertible A, and the
   mean is another one for each A. So W^K is fitted to the products M of all
   heads of the group, and W^Q follows from it; so are W^V and W^O to N. */
#ifndef REGROUP_H
#define REGROUP_H

#include "models/heads.h"

/* Layer l with fewer groups of heads. Its maps still point into the tensors of
   l, but use only a part of them. */
Heads regrouped(Heads l, int groups);

/* Writes what layer l has into `to`, which is regrouped: the keys and values
   from which M and N of all heads are the nearest that there are (with rotary
   positions in the mean over all distances, as in likeness.h); or their mean.
 */
void write_nearest(const Heads *l, const Heads *to);
void write_mean(const Heads *l, const Heads *to);

#endif
