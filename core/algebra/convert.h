/* convert.h - turns a trained model of one variant into one of another. */
#ifndef CONVERT_H
#define CONVERT_H

#include "algebra/fit.h"

/* A conversion counts as exact if its error is at most this: Conversion.logits
   of two trained models, or Conversion.form of their matrices. */
#define EXACT_UP_TO (sizeof(real) == 4 ? 1e-4 : 1e-10)

/* The result of one conversion. */
typedef struct Conversion {
    const char *why; /* why the conversion failed; "" if it succeeded */
    double logits;   /* the largest difference of the two models' logits on one
                        test batch, relative to the old model's largest logit,
                        or to 1 if that is larger */
    FitError form;   /* the error of the place whose entries of M or N differ
                        most; {0} if none was fitted */
    double before, after; /* the test accuracy of the old model, and of the new
                             one */
} Conversion;

/* Makes `to`, of another variant or of other shapes, compute what `from` does,
   or the nearest function that its variant's fit finds. Every attention,
   including an encoder's and cross-attention, is fitted to the canonical form
   of the attention at the same place of `from`. Any other weight is copied if
   both models have it, in the same shape. If the models have different kinds of
   embedding, that of `from` is folded into its attention, which is possible
   only if `to` has one-hot tokens (fold.h). Returns false, with the reason in
   v->why, if this is impossible. */
bool convert_model(const Model *from, Model *to, Conversion *v);

/* With the option same-start, a model is initialised to compute the same
   function as a new model of another variant, own->same_start. Returns the
   settings of that other model: the widths that both variants use are own's,
   the others have their defaults. */
Config same_start_config(const Config *own);

/* Initialises m, which has the option same-start, to compute the same function
   as a new model of the variant that this option names, with the same seed. So
   all models with one same-start variant begin as the same function, each with
   its own matrices. Returns false, with the reason in v->why, if m's variant
   cannot compute that function exactly. */
bool initialise_same_start(Model *m, Conversion *v);

/* Compares two models on test data: sets v->logits from the first batch, and
   v->before and v->after from all batches. */
void measure_conversion(Model *from, Model *to, const Dataset *data,
                        Conversion *v);

#endif
