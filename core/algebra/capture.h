/* capture.h - what attention computed in a forward pass.

   A capture watches a tape on which attend is computed in three steps
   (operators/scores_and_softmax.h), and records every softmax:

       Capture r = {.only = EVERY_HEAD};
       capture_start(&r, tape);
       forward(&a, x, y, w);

   A place is one attention of a model: attention in a block, or
   cross-attention. After each place has run, the caller records it
   (record_place). The nodes can be read until the tape is freed or reset.

   canonical.h probes one block (run_block). The commands trace and inspect and
   the option --log read a whole model (pass_captured). */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>

#include <qkv/attend.h>
#include <qkv/operator.h>
#include <qkv/variant.h>

#include "heart/matrix.h"
#include "training/build_model.h"

enum { MOST_CALLS = 256 };

/* A call of attend: its softmax, and the nodes before and after the softmax. */
typedef struct Call {
    Node *q, *k;   /* the scores are scale q k', plus any bias by position; if
                      the model's rope rotates q and k, these are the unrotated
                      ones; both are NULL if the scores are not a product */
    Node *product; /* the scores before `scale` and any bias by position: q k'
                      if they are a product */
    double scale;
    Node *weights;  /* the softmax of the scores */
    Node *sum;      /* these weights times values, or NULL */
    int first_head; /* the number of its first head, counted over all calls,
                       including those that were forgotten */
} Call;

/* A place of a model. Its calls are call[first_call] .. call[first_call + calls
   - 1] of the capture. */
typedef struct Place {
    Node *x, *y, *out;            /* the arguments of forward, and its result */
    int first_call, calls, heads; /* the heads of all its calls together */
} Place;

/* The calls and places in the order in which they were recorded. */
typedef struct Capture {
    Call call[MOST_CALLS];
    int calls;
    int heads; /* of all calls, including those that were forgotten */
    Place place[MOST_CALLS];
    int places;
    bool rotated; /* whether the variant's own code rotates by position */
    int only;     /* whose attention weights are used: EVERY_HEAD, NO_HEAD, or
                     a head's number, counted as in Call.first_head */
} Capture;

/* EVERY_HEAD leaves all attention weights unchanged; NO_HEAD makes all of them
   0. The number of a head makes the weights of that head the identity, so that
   query i attends only to key i, and the weights of all other heads 0. */
enum { EVERY_HEAD = -1, NO_HEAD = -2 };

/* The number of entries of a weight. */
size_t entries_of(const Weight *w);

/* Records each softmax that is made on the tape from now on. */
void capture_start(Capture *r, Tape *t);

/* Records a place. The caller sets its x, y and out; the other fields are
   computed. The place has each call that was made since the place before it and
   on which `out` depends, in the order of the equation (backward_order,
   tape.h). Other calls since then are forgotten. */
void record_place(Capture *r, Place place);

/* Makes a leaf for each matrix that a variant declares. A leaf has the name of
   its matrix in `arguments`. The leaves are the argument w of forward, with
   undeclared() (plugin.h) after the last. The caller frees the array; the tape
   owns the leaves. */
Node **leaves_of(Tape *t, const Weights *w);

/* Calls forward of the blocks before a->layer on the same tokens, so that block
   a->layer can recall what they remember. A model calls them itself; a block
   that runs without a model needs this. */
void forward_earlier(const Variant *v, const Attention *a, Node *x, Node *y,
                     Node **w);

/* A forward pass of one block's attention, without a model around it. */
typedef struct BlockRun {
    const Variant *variant;
    Attention attention;
    Weights weights; /* as the variant declares them, with their values */
    Tape *tape;      /* the tape of the latest run, or NULL */
    Capture capture;
    Node *x, *y, *out;
    bool recalled;   /* whether the block recalled a node of an earlier block */
    bool not_finite; /* canonical.c sets it if an entry of `out`, or of the
                        output that the form gives, is not finite */
} BlockRun;

/* Runs forward on x (x_rows x d_model) and y (y_rows x d_model), and captures
   it. `only` says which attention weights are used (Capture.only). Earlier
   blocks are run first, and are not captured. */
void run_block(BlockRun *b, real *x, int x_rows, real *y, int y_rows, int only);

/* run_block captures one place, in one sequence. */
enum { ONLY_PLACE = 0, ONLY_SEQUENCE = 0 };

/* The call that computes head `head` of a place, counted over the calls of that
   place. *head_here becomes the number of the head within the call. */
const Call *capture_head(const Capture *r, int place, int head, int *head_here);

/* The scores and the weights of one head of a call in one sequence: each is a
   matrix (queries x keys). The causal mask is not in the scores; call_sees
   tells whether query i sees key j. Each row of weights sums to 1, unless there
   is a sink or Capture.only replaced the weights. */
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
   also runs the backward pass from the loss; each trained root of the tape
   (Node.root) then still has its gradient. The caller frees the result with
   pass_free. */
Pass *pass_captured(Model *m, const Batch *b);
Pass *pass_with_gradients(Model *m, const Batch *b);
void pass_free(Pass *p);

#endif
