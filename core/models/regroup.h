/* regroup.h - a layer with fewer heads of keys and values.

   The heads of a group share one W^K and one W^V afterwards. Usually these are
   the means of the heads' matrices. But an entry of W^K means nothing across
   heads: W^Q A and W^K A^-T are the same head for every invertible A, and each
   A gives another mean. So W^K is fitted to the products M of all heads of the
   group, and W^Q follows from it; W^V and W^O are fitted to N in the same way.
 */
#ifndef REGROUP_H
#define REGROUP_H

#include "models/heads.h"

/* Layer l with only `groups` groups of heads. Its maps still point into the
   tensors of l, of which they use only a part. */
Heads regrouped(Heads l, int groups);

/* Fits the maps of `to`, which is regrouped, to layer l: among all keys and
   values for that many groups, it gets those whose M and N of all heads are the
   nearest to those of l. With rotary positions the distance is the mean over
   all distances between query and key, as in likeness.h. */
void write_nearest(const Heads *l, const Heads *to);

/* Gives each group of `to` the mean of the keys and of the values of the groups
   that it replaces. */
void write_mean(const Heads *l, const Heads *to);

#endif
