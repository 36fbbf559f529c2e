/* capture.h - what attention computed in a forward pass.

   A capture watches a tape on which attend is computed in three steps
   (operators/steps.h), and records every softmax:

       Capture r = {.only = EVERY_HEAD};
       capture_start(&r, tape);
       forward(&a, x, y, w);

   The caller then records the places of the model (record_place). The nodes can
   be read until the tape is freed or reset.

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

/* A call of attend: its softmax, and the nodes before and after that. */
typedef struct Call {
    Node *q, *k;   /* the scores are scale q k'; if the model rotates q and k,
                      these are the unrotated ones; both are NULL if the scores
                      are not a product */
    Node *product; /* q k', before `scale` and any bias by position */
    double scale;
    Node *weights; /* the softmax of the scores */
    Node *sum;     /* these weights times values, or NULL */
    int first;     /* number of its first head, counted over all calls */
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
    int calls;
    int heads; /* of all calls, including those that were forgotten */
    Place place[MOST_CALLS];
    int places;
    bool rotated; /* whether the variant itself rotates by position */
    int only;     /* which weights are used: EVERY_HEAD, NO_HEAD, or one
                     head's number, as in Call.first */
} Capture;

/* With EVERY_HEAD all weights are left unchanged. With NO_HEAD all become 0.
   With the number of a head, the weights of that head become the identity, so
   that query i looks only at key i, and the weights of all others become 0. */
enum { EVERY_HEAD = -1, NO_HEAD = -2 };

/* The number of entries of a weight. */
size_t entries_of(const Weight *w);

/* Records each softmax that is made on the tape from now on. */
void capture_start(Capture *r, Tape *t);

/* Records a place, of which the caller gives x, y and out. Its calls are those
   since the place before on which `out` depends, the last one in
   backward_order (tape.h) first. All other calls are forgotten. */
void record_place(Capture *r, Place place);

/* Makes a leaf for each matrix that a variant declares, with the matrix's name.
   The leaves are the argument w of forward. The caller frees the array; the
   tape owns the leaves.
 */
Node **leaves_of(Tape *t, const Weights *w);

/* Calls forward of the blocks before a->layer on the same tokens, so that block
   a->layer can recall what they remember. A model would call them itself; this
   is used when a block runs without one. */
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
    bool recalled; /* whether the block recalled a node of an earlier block */
    bool broken;   /* set by canonical.c if `out` is not finite */
} Alone;

/* Runs forward on x (x_rows x d_model) and y (y_rows x d_model), with weights
   replaced as `only` says (Capture), and captures it. Earlier blocks are run
   first, and are not captured. */
void run_alone(Alone *a, real *x, int x_rows, real *y, int y_rows, int only);

/* run_alone captures one place of attention, in one sequence. */
enum { ONLY_PLACE = 0, ONLY_SEQUENCE = 0 };

/* The call that computes head `head` of a place. *head_here becomes the number
   of that head within the call. */
const Call *capture_head(const Capture *r, int place, int head, int *head_here);

/* The scores and the weights of one head of a call in one sequence, (queries x
   keys). The causal mask is not in the scores: call_sees tells whether query i
   sees key j. Each row of weights sums to 1, unless there is a sink. */
Matrix call_scores(const Call *c, int sequence, int head);
Matrix call_weights(const Call *c, int sequence, int head);
bool call_sees(const Call *c, Matrix scores, int i, int j);

/* A forward pass of a model, captured. */
typedef struct Pass {
    Capture capture;
    Tape *tape;
    Node *logits;
} Pass;

/* pass_captured runs the forward pass of m on the batch. pass_with_gradients
   then runs the backward pass from the loss, after which every trained root on
   the tape still has its gradient. The caller frees the result with pass_free.
 */
Pass *pass_captured(Model *m, const Batch *b);
Pass *pass_with_gradients(Model *m, const Batch *b);
void pass_free(Pass *p);

#endif
