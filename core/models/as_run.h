/* as_run.h - writes a layer of a published model as a run.

   The layer's matrices are loaded into a variant, in a model of one block whose
   tokens are random vectors. So the commands inspect, equiv and trace work on
   them. */
#ifndef AS_RUN_H
#define AS_RUN_H

#include "models/heads.h"

/* Writes a run of `variant` with the layer's matrices into the experiment
   `out`, which is made if it does not exist. Fails unless the variant has
   exactly these matrices (biased, gqa and standard suit many models) and
   a run can compute what the layer does. `qkv train --from` converts the run
   into other variants. Returns the run's name, which the caller frees. */
char *layer_as_run(const Heads *l, const char *variant, const char *out);

#endif
