/* forms.h - what the attention of a model computes, and what it costs. */
#ifndef FORMS_H
#define FORMS_H

#include "algebra/canonical.h"
#include "config/build_model.h"

/* The canonical form of a place's attention, probed for as many positions as
   the model has tokens; canonical_free it. */
Canonical model_form(const Model *m, int place);

/* What all attention of the model costs: FLOPs of the forward run, the
   encoder's too, per token of the first sequence, and entries that a decoder
   keeps per token, of the first sequence and of the second. */
void model_cost(const Model *m, double *flops, double *cache);

#endif
