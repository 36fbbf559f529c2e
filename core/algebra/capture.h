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

/* A softmax, with the nodes before and after it. */
typedef struct Call {
    Node *q, *k;   /* the scores are their product; if the model rotates q and
                      k, these are the unrotated ones; NULL if the scores are
                      no single product */
    Node *product; /* the scores before `scale` and any bias by position */
    double scale;
    Node *weights; /* the softmax of the scores */
    Node *sum;     /* these weights times values, or NULL */
    int first;     /* number of its first head, counted over all softmaxes */
} Call;

/* A place of a model: the arguments and the result of forward there. Its calls
   are call[first] .. call[first + calls - 1] of the capture; `heads` counts
   their heads. */
typedef struct Place {
    Node *x, *y, *out;
    int first, calls, heads;
} Place;

typedef struct Capture {
    Call call[MOST_CALLS];
    int calls, heads; /* heads: of all calls */
    Place place[MOST_CALLS];
    int places;
    bool rotated; /* does the variant itself rotate by the position? */
    int only;     /* which weights are kept, see below */
} Capture;

/* With EVERY_HEAD all weights are left as they are. With NO_HEAD all become 0.
   With the number of a head, the weights of that head become the identity, so
   that query i looks only at key i, and the weights of all others become 0. */
enum { EVERY_HEAD = -1, NO_HEAD = -2 };

/* The number of entries of a matrix. */
size_t entries_of(const Weight *w);

/* From now on, records each softmax on the tape. */
void capture_start(Capture *r, Tape *t);

/* Records a place. Its calls are those made since the place before on which its
   result depends, in the order in which the result uses them (backward_order,
   tape.h). */
void record_place(Capture *r, Place place);

/* A leaf for each matrix that a variant declares, under the matrix's name: the
   argument w of forward. The caller frees the array; the tape has the leaves.
 */
Node **leaves_of(Tape *t, const Weights *w);

/* Calls forward of the blocks before a->layer on the same tokens, for a block
   without a model around it: it may recall what they remember. */
void forward_earlier(const Variant *v, const Attention *a, Node *x, Node *y,
                     Node **w);

/* A forward of one block's attention, captured without a model around it. */
typedef struct Alone {
    const Variant *variant;
    Attention attention;
    Weights weights; /* as the variant declares them, with their values */
    Tape *tape;      /* the tape of the latest run, or NULL */
    Capture capture;
    Node *x, *y, *out;
    bool recalled; /* did the block recall what an earlier one remembered? */
    bool broken;   /* set by the caller if `out` is not finite */
} Alone;

/* Runs forward on x (x_rows x d_model) and y (y_rows x d_model), with weights
   replaced as `only` says (Capture). The first run begins with the earlier
   blocks. */
void run_alone(Alone *a, real *x, int x_rows, real *y, int y_rows, int only);

/* The call that has head `head` of a place. *own becomes the number of that
   head within the call. */
const Call *capture_head(const Capture *r, int place, int head, int *own);

/* The scores and the weights of head `head` of a call in one sequence, (queries
   x keys). Each row of weights sums to 1. The scores are those before the mask;
   call_sees tells whether query i sees key j. */
Matrix call_scores(const Call *c, int sequence, int head);
Matrix call_weights(const Call *c, int sequence, int head);
bool call_sees(const Call *c, Matrix scores, int i, int j);

/* A forward pass of a model, captured. */
typedef struct Pass {
    Capture capture;
    Tape *tape;
    Node *logits;
} Pass;

/* Runs m on the batch and, if with_gradients, the backward pass from its loss;
   every trained root on the tape then keeps its gradient. The caller frees it
   with pass_free. */
Pass *pass_captured(Model *m, const Batch *b, bool with_gradients);
void pass_free(Pass *p);

#endif
