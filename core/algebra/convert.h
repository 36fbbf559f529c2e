/* convert.h - a trained model of one variant, made into one of another. */
#ifndef CONVERT_H
#define CONVERT_H

#include "algebra/fit.h"
#include "config/build_model.h"
#include "heart/train.h"

/* Below this largest difference of logits, relative to the largest of them
   where that is above 1, two models are the same function. */
#define CONVERTS_EXACTLY (sizeof(real) == 4 ? 1e-4 : 1e-10)

/* What became of one conversion. */
typedef struct Conversion {
    bool done;
    char why[240];        /* it could not be done */
    double logits;        /* largest difference, relative */
    FitError form;        /* of the place that lost most */
    double before, after; /* test accuracy */
} Conversion;

/* A model of plugin p with the shape options of `shape` (heads, kv_heads, d_k,
   d_v, latent, embed), which computes what `from` does, or the nearest that its
   fit finds: every attention, the encoder's and cross-attention too, fits
   the canonical form of the one in its place, and the rest is copied. `run` is
   the name that its config says it is from. NULL, with v->why, where there is
   none. */
Model *converted(const Model *from, const Plugin *p, const Config *shape,
                 const char *run, Conversion *v);

/* Gives m the function that its config's same-start begins as with the same
   seed: "standard", or with shape options of its own "standard+d-k=4". Every
   variant that starts as it does computes the same at first, in matrices of its
   own. False, with v->why, where m's variant cannot do that exactly; then m is
   as before. */
bool start_alike(Model *m, Conversion *v);

/* How the two differ on test data: v->logits on a batch, the accuracies on all
   of it. */
void measure_conversion(Model *from, Model *to, const Dataset *data,
                        Conversion *v);

/* Loss and accuracy on a split, as `evaluate` has them. */
void evaluate_split(Model *m, const Dataset *data, Split split, double *loss,
                    double *accuracy);

#endif
