/* as_run.h - a layer of a published model as a run of ours.

   Its matrices are loaded into a variant, in a model of one block whose tokens
   are random vectors, so that inspect, equiv and trace work on it. */
#ifndef AS_RUN_H
#define AS_RUN_H

#include "models/heads.h"

/* Writes a run of `variant` into the experiment OUT, which is made where it is
   not there, and returns its name, to be freed. Fails unless the variant has
   just the layer's matrices, as biased, gqa and standard have those of many;
   `qkv train --from` converts the run into others. */
char *layer_as_run(const Heads *l, const char *variant, const char *out);

#endif
