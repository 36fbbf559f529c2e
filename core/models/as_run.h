/* as_run.h - a layer of a published model as a run of ours.

   Its matrices are loaded into a variant, in a model of one block whose tokens
   are random vectors, so that inspect, equiv and trace work on it. */
#ifndef AS_RUN_H
#define AS_RUN_H

#include "models/heads.h"

/* Writes a run of `variant` into the experiment `out`, which is made if it does
   not exist, and returns the run's name, which the caller frees. Fails unless
   the variant has exactly the layer's matrices: for many models that is biased,
   gqa or standard. `qkv train --from` converts the run into other variants. */
char *layer_as_run(const Heads *l, const char *variant, const char *out);

#endif
