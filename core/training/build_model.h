/* build_model.h - makes the model that a config describes, and finds weights in
   it. To make a model, call plugin_of, config_resolve_for, dataset_open and
   model_new in this order, or model_open, which calls all four. */
#ifndef BUILD_MODEL_H
#define BUILD_MODEL_H

#include "config/find_plugin.h"
#include "heart/train.h"
#include "tasks/tasks.h"

/* Resolves c (config_resolve) for the plugin's variant, and stores in c the
   plugin's equation and the hash of its file. Exits (2) if the model would call
   the variant in a way that Variant.calls excludes. */
void config_resolve_for(Config *c, const Plugin *p);

/* The model of a resolved config, with the initial weights of its seed. */
Model *model_new(const Config *c, Sizes sizes, const Variant *v);

/* Multiplies the initial entries of all weights with this name by a factor,
   before they are drawn. The name is the last part of the full name, written as
   in a file name: W_Q for block0.attention.W^Q. Returns false if no weight has
   this name. */
bool scale_weights(Model *m, const char *name, double factor);

/* The model of a config that is not resolved yet. Opens the variant's plugin
   and the task's dataset, which is returned in *data. Free the model with
   model_free. */
Model *model_open(Config c, Dataset *data);

/* The weights of the attention at m->place[place], in the order in which its
   variant declares them. The model owns them. */
Weights place_weights(const Model *m, int place);

/* The weight with this full name, such as "embedding". Aborts if there is none.
 */
Weight *weight_named(const Model *m, const char *name);

/* The number of attention's parameters: the entries of all matrices that its
   variant declares, in all places. */
size_t attention_parameters(const Model *m);

#endif
