/* convert.h - turns a trained model of one variant into one of another. */
#ifndef CONVERT_H
#define CONVERT_H

#include "algebra/fit.h"

/* Two models count as the same function if their logits differ by at most this,
   relative to the largest logit, or to 1 if that is larger. */
#define CONVERTS_EXACTLY (sizeof(real) == 4 ? 1e-4 : 1e-10)

/* The result of one conversion. */
typedef struct Conversion {
    const char *why; /* why the conversion failed; "" if it succeeded */
    double logits;   /* the largest difference of the two models' logits on one
                        test batch, relative to the largest logit */
    FitError form;   /* the error at the place of attention where entries of M
                        or N differ most */
    double before, after; /* the test accuracy before and after the
                             conversion */
} Conversion;

/* Makes `to`, of another variant or of other shapes, compute what `from` does,
   or the nearest that its variant's fit finds. Every attention, also that of an
   encoder and cross-attention, is fitted to the canonical form of the one it
   replaces; all other weights are copied. Returns false, with the reason in
   v->why, if it cannot be done. */
bool convert_model(const Model *from, Model *to, Conversion *v);

/* A run with the settings `own` can be initialised as the same function as a
   model of another variant, own->same_start. Returns the settings of that
   model: the widths that both variants use are own's, the others have their
   defaults. */
Config config_alike(const Config *own);

/* Initialises m to compute the same function as its same-start variant does
   before training with this seed. So all variants with one same-start begin as
   the same function, each with its own matrices. Returns false, with the reason
   in v->why, if m's variant cannot compute that function exactly. */
bool start_alike(Model *m, Conversion *v);

/* Compares two models on test data: sets v->logits from one batch, and the
   accuracies from all of it. */
void measure_conversion(Model *from, Model *to, const Dataset *data,
                        Conversion *v);

#endif
