/* as_run.h - a layer of a published model as a run of ours.

   Its matrices become those of a variant, in a model of one block whose tokens
   are random vectors: what looks at runs (inspect, equiv, trace) looks at it.
 */
#ifndef AS_RUN_H
#define AS_RUN_H

#include "models/layer.h"

/* Writes a run into the experiment OUT, which is made where it is not there,
   and returns its name, to be freed: of the variant that has the layer's own
   matrices, or converted into `variant`; *lost is the largest share of an M or
   N that this lost. Fails where no variant has them, or it cannot be done. */
char *layer_as_run(const Heads *l, const char *variant, const char *out,
                   double *lost);

#endif
