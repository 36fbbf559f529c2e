/* as_run.h - a layer of a published model as a run of ours.

   Its matrices are loaded into a variant, in a model of one block whose tokens
   are random vectors, so that inspect, equiv and trace work on it. */
#ifndef AS_RUN_H
#define AS_RUN_H

#include "models/heads.h"

/* Writes a run of `variant` into the experiment OUT, which it makes if there is
   none, and returns the run's name, to be freed. Fails unless the variant has
   exactly the layer's matrices: biased, gqa and standard have the matrices of
   many models. `qkv train --from` converts the run into other variants. */
char *layer_as_run(const Heads *l, const char *variant, const char *out);

#endif
