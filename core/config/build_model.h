/* build_model.h - a model from a config: its kind, and what its weights start
   as. */
#ifndef BUILD_MODEL_H
#define BUILD_MODEL_H

#include "config/find_plugin.h"
#include "config/tasks.h"
#include "heart/train.h"

/* Settles c for p; sets the hash of its file. Exits as config_resolve does. */
void config_cast(Config *c, const Plugin *p);

/* The model that a resolved config describes: without values, as model_outline
   makes it, or at its seed's initial weights. */
Model *model_listed(const Config *c, Sizes sizes, const Variant *v);
Model *model_new(const Config *c, Sizes sizes, const Variant *v);

/* The same of a config that only names its variant and its task; dataset_close
   what the task draws from. */
Model *model_open(Config c, Dataset *data);

/* The values of a place's attention, matrix by matrix as the variant declares
   them. To be freed; the matrices are the model's. */
real **model_attention(const Model *m, int place);

/* The weight of that name; a bug if there is none. */
Weight *weight_named(const Model *m, const char *name);

/* Entries of all matrices that variants have declared. */
size_t attention_parameters(const Model *m);

#endif
