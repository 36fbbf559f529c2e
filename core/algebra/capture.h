/* capture.h - what attention computed in a forward pass.

   A capture watches the tape of the nodes that forward is called with:

       Capture r = {.replaced = NOTHING};
       capture_start(&r, tape);
       forward(&a, x, y, w);

   It records every call of attend and softmax; the caller adds the places of
   the model (record_place). The nodes can be read until the tape is freed or
   reset: call_weights computes the weights of a call again, capture_weights
   those of one head of a place.

   The canonical form is probed with a capture (canonical.h). pass.h captures a
   whole model, which trace, inspect and `--log` (observe.h) read. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>

#include <qkv/attend.h>
#include <qkv/operator.h>
#include <qkv/variant.h>

enum { MOST_CALLS = 256 };

/* A call of attend; or of softmax, if a variant takes the steps itself. Then v
   is NULL, `out` are the weights, and q and k are NULL unless its scores,
   before biases, are one product. If the model rotates q and k, these are the
   unrotated ones. */
typedef struct Call {
    Node *q, *k, *v, *out;
    double scale;
    int causal;
    int number; /* in the order in which calls were made, from 0 */
    int first;  /* its first head, of those of all softmaxes */
} Call;

/* A weighted sum p v: of apply_weights; or of attend, then p is NULL and `call`
   the number of that call. */
typedef struct Sum {
    Node *p, *v, *out;
    int call;
} Sum;

/* A place of a model: what forward was called with there, and returned; its
   calls are call[first] .. call[first + calls - 1]. */
typedef struct Place {
    Node *x, *y, *out;
    int first, calls;
} Place;

typedef struct Capture {
    Call call[MOST_CALLS];
    int calls;
    int softmaxes, softmax_heads; /* of these calls, those of softmax */
    Sum sum[MOST_CALLS];
    int sums;
    Node *keys[2 * MOST_CALLS]; /* keys and values of attend and the steps */
    int key_count;
    Place place[MOST_CALLS];
    int places;
    bool rotated; /* by the variant itself */
    int replaced; /* the sum whose result becomes the identity, while those of
                     all others become 0; or NOTHING, or UNIT_WEIGHTS: those of
                     softmax become 0 but one, in row i of head i of all */
} Capture;
enum { NOTHING = -1, UNIT_WEIGHTS = -2 };

/* From now on enters each call, keys or values, and weighted sum of the tape's;
   and replaces the result where that is asked for. */
void capture_start(Capture *r, Tape *t);

/* Enters a place. Its calls are those since the place before, put in the order
   in which its result depends on them (backward_order, tape.h), whichever was
   made first. */
void record_place(Capture *r, Place place);

/* If there is no model around it: calls forward of the blocks before a->layer
   on the same tokens, because this block may recall what they remember. */
void forward_earlier(const Variant *v, const Attention *a, Node *x, Node *y,
                     Node **w);

/* The sink of weights in head `head`, -INFINITY if there is none. */
double sink_of(const Node *weights, int head);

/* Scores before any bias was added to them. */
Node *unbiased(Node *scores);

/* Queries, and keys, of a sequence. */
int call_queries(const Call *c);
int call_keys(const Call *c);

/* The scores (those that are masked -INFINITY) and the weights of head `head`
   of sequence `sequence`, each (queries x keys), computed again from what the
   call was given. `scores` may be NULL. */
void call_weights(const Call *c, int sequence, int head, double *scores,
                  double *weights);

/* How many heads all calls of a place have, and the call that head `head` of
   them belongs to; *own is its number there. */
int capture_heads(const Capture *r, int place);
const Call *capture_head(const Capture *r, int place, int head, int *own);

/* The weights of a head of a place in a sequence, (queries x keys): each row
   sums to 1. */
void capture_weights(const Capture *r, int place, int head, int sequence,
                     double *weights);

/* Convexity. A row of weights is not negative and sums to 1, so what attend
   returns is, coordinate by coordinate, between the smallest and the largest of
   the values that it sums. What the output map makes of that need not be
   between the smallest and the largest of the tokens y. */
typedef struct Range {
    double sums, sums_beyond;       /* entries of the weighted sums */
    double outputs, outputs_beyond; /* of the place's output, against y */
} Range;

/* Counts them in all sequences. The sums behind a softmax alone are compared
   with y where they are as wide: there the values may be products that no
   softmax bounds (symmetric-data). */
Range capture_range(const Capture *r, int place);

#endif
