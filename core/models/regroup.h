/* regroup.h - a layer with fewer heads of keys and values.

   The heads of a new group share one W^K and one W^V. Usually these are the
   means of the heads' matrices. But the entries of different heads' W^K cannot
   be compared: W^Q A and W^K A^-T are the same head for every invertible A, and
   each A gives another mean. So W^K is fitted to the products M of all heads of
   the group, and W^Q follows from it; W^V and W^O are fitted to N in the same
   way. */
#ifndef REGROUP_H
#define REGROUP_H

#include "models/heads.h"

/* Layer l with only `groups` groups of heads. Its maps are in the same tensors
   as l's, but use only a part of them. */
Heads regrouped(Heads l, int groups);

/* Writes into `to`, a layer that regrouped() returned, the maps for which the
   matrices M and N of all heads are as near as possible to layer l's. If
   M depends on the distance between query and key (rotary positions), its
   squared error is the mean over all distances, as in likeness.h. */
void write_nearest(const Heads *l, const Heads *to);

/* Writes into each group of `to` the mean W^K and the mean W^V of the groups
   that it replaces. */
void write_mean(const Heads *l, const Heads *to);

#endif
