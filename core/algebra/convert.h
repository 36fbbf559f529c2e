/* convert.h - turns a trained model of one variant into one of another. */
#ifndef CONVERT_H
#define CONVERT_H

#include "algebra/fit.h"

/* Up to this largest difference of logits, relative to the largest logit or to
   1 if that is below 1, two models are the same function. */
#define CONVERTS_EXACTLY (sizeof(real) == 4 ? 1e-4 : 1e-10)

/* The result of one conversion. */
typedef struct Conversion {
    char why[240];        /* why it could not be done; "" if it was done */
    double logits;        /* the largest difference of logits, relative */
    FitError form;        /* the error at the place that lost most */
    double before, after; /* the test accuracy of both models */
} Conversion;

/* Makes `to`, of another variant or of other shapes, compute what `from` does,
   or the nearest that its variant's fit finds. Every attention, the encoder's
   and cross-attention too, is fitted to the canonical form of the one it
   replaces; all other weights are copied. False if it cannot be done, with the
   reason in v->why. */
bool convert_model(const Model *from, Model *to, Conversion *v);

/* The settings of the model that a run with the settings `own` imitates at its
   start. Its variant is own->same_start. The widths that both variants use are
   own's; the others have their defaults. */
Config config_alike(const Config *own);

/* Initialises m as the function that its same-start variant has with the same
   seed. So all variants with one same-start begin as the same function, each in
   its own matrices. Returns false, with the reason in v->why, if m's variant
   cannot do that exactly. */
bool start_alike(Model *m, Conversion *v);

/* Compares two models on test data: v->logits on one batch, the accuracies on
   all of it. */
void measure_conversion(Model *from, Model *to, const Dataset *data,
                        Conversion *v);

#endif
