/* convert.h - a trained model of one variant, made into one of another. */
#ifndef CONVERT_H
#define CONVERT_H

#include "algebra/fit.h"
#include "heart/train.h"
#include "training/build_model.h"

/* Below this largest difference of logits, relative to the largest of them
   where that is above 1, two models are the same function. */
#define CONVERTS_EXACTLY (sizeof(real) == 4 ? 1e-4 : 1e-10)

/* What became of one conversion. */
typedef struct Conversion {
    char why[240];        /* it could not be done; "" if it was */
    double logits;        /* largest difference, relative */
    FitError form;        /* of the place that lost most */
    double before, after; /* test accuracy */
} Conversion;

/* Makes `to`, of another variant or of other shapes, compute what `from` does,
   or the nearest that its variant's fit finds. Every attention, the encoder's
   and cross-attention too, is fitted to the canonical form of the one it
   replaces; all other weights are copied. False if it cannot be done, with the
   reason in v->why. */
bool convert_model(const Model *from, Model *to, Conversion *v);

/* The variant that m's config starts as (same-start), in the shape of m's
   attention where both use it, and else in its usual one. */
Config config_alike(const Config *own);

/* Initialises m as the function that this variant has with the same seed. So
   all variants with one same-start begin as the same function, each in its own
   matrices. Returns false, with the reason in v->why, if m's variant cannot do
   that exactly. */
bool start_alike(Model *m, Conversion *v);

/* How the two differ on test data: v->logits on a batch, the accuracies on all
   of it. */
void measure_conversion(Model *from, Model *to, const Dataset *data,
                        Conversion *v);

#endif
