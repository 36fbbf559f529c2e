/* capture.h - what attention computed in a forward pass.

   A capture watches the tape of the nodes that forward is called with, on which
   attend takes its steps (operators/steps.h):

       Capture r = {.only = EVERY_HEAD};
       capture_start(&r, tape);
       forward(&a, x, y, w);

   It records every softmax; the caller adds the places of the model
   (record_place). The nodes can be read until the tape is freed or reset.

   The canonical form is probed with a capture (canonical.h). pass_captured
   captures a whole model, which trace, inspect and `--log` (observe.h) read. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>

#include <qkv/attend.h>
#include <qkv/operator.h>
#include <qkv/variant.h>

#include "heart/matrix.h"
#include "training/build_model.h"

enum { MOST_CALLS = 256 };

/* A softmax, and what is around it. */
typedef struct Call {
    Node *q, *k;   /* whose product the scores are, unrotated if the model
                      rotates them; NULL if they are not one product */
    Node *product; /* the scores before `scale` and any bias by position */
    double scale;
    Node *weights; /* what the softmax makes of the scores */
    Node *sum;     /* these weights times values, or NULL */
    int first;     /* its first head, of those of all softmaxes */
} Call;

/* A place of a model: what forward was called with there, and returned; its
   calls are call[first] .. call[first + calls - 1], which have so many heads
   together. */
typedef struct Place {
    Node *x, *y, *out;
    int first, calls, heads;
} Place;

typedef struct Capture {
    Call call[MOST_CALLS];
    int calls, heads; /* heads: of all calls */
    Place place[MOST_CALLS];
    int places;
    bool rotated; /* by the variant itself */
    int only;     /* EVERY_HEAD: weights stay as they are; or a head, whose
                     weights are replaced by the identity (query i looks only at
                     key i), and the weights of all other heads by 0; or
                     NO_HEAD: all weights are replaced by 0 */
} Capture;
enum { EVERY_HEAD = -1, NO_HEAD = -2 };

/* From now on records each softmax of the tape's. */
void capture_start(Capture *r, Tape *t);

/* Records a place. Its calls are those since the place before on which its
   result depends, in the order in which it does (backward_order, tape.h),
   whichever was made first. */
void record_place(Capture *r, Place place);

/* A leaf for each matrix that a variant declares, under its name: what forward
   takes as w. To be freed. */
Node **leaves_of(Tape *t, const Weights *w);

/* If there is no model around it: calls forward of the blocks before a->layer
   on the same tokens, because this block may recall what they remember. */
void forward_earlier(const Variant *v, const Attention *a, Node *x, Node *y,
                     Node **w);

/* A forward of one block's attention, captured without a model around it. */
typedef struct Alone {
    const Variant *variant;
    Attention attention;
    Weights weights; /* as it declares them, with their values */
    Tape *tape;      /* of the latest run, or NULL: */
    Capture capture;
    Node *x, *y, *out;
    bool recalled; /* what an earlier block remembered */
    bool broken;   /* for its caller: numbers in `out` are not finite */
} Alone;

/* Runs forward on x (x_rows x d_model) and y, with the weights of the head
   `only` replaced as above; for the first time after the earlier blocks. */
void run_alone(Alone *a, real *x, int x_rows, real *y, int y_rows, int only);

/* The call that head `head` of a place belongs to; *own is its number there. */
const Call *capture_head(const Capture *r, int place, int head, int *own);

/* The scores and the weights of head `head` of a call in a sequence, (queries x
   keys). Each row of weights sums to 1. Scores are unmasked: key j of query i
   is not seen unless call_sees says so. */
Matrix call_scores(const Call *c, int sequence, int head);
Matrix call_weights(const Call *c, int sequence, int head);
bool call_sees(const Call *c, Matrix scores, int i, int j);

/* A forward pass of a model, captured. */
typedef struct Pass {
    Capture capture;
    Tape *tape;
    Node *logits;
} Pass;

/* Runs m on the batch; and, with_gradients, back from its loss: then every
   trained root on the tape still has its gradient. pass_free it. */
Pass *pass_captured(Model *m, const Batch *b, bool with_gradients);
void pass_free(Pass *p);

#endif
