/* attend.h - what the core sees of a variant's calls to attend.

   A variant is a black box but for what it hands to attend and what it makes
   of the result. Whoever wants to know what happens inside hangs a watch on
   the Attention that forward is called with. */
#ifndef ATTEND_H
#define ATTEND_H

#include <qkv/attend.h>
#include <qkv/operator.h>

#include "math/matrix.h"

enum { MOST_CALLS = 256 };

typedef struct Call {
    Node *q, *k, *v, *out;
    double scale;
    int causal;
    int number; /* of the calls, in the order they were made, from 0 */
} Call;

/* One place of a model: what forward was called with, and returned. */
typedef struct Seen {
    Node *x, *y, *out;
    int causal;           /* is its first token to see itself alone? */
    int calls, softmaxes; /* how many the watch had noted before it */
} Seen;

typedef struct Watch {
    Call call[MOST_CALLS];
    int calls; /* to attend, those past MOST_CALLS counted too */
    Node *softmax[MOST_CALLS];
    int softmaxes; /* outside attend, likewise */
    Seen place[MOST_CALLS];
    int places;
    int replaced; /* the call whose result becomes the identity, while those of
                     all others become 0; -1: none */
} Watch;

/* What both ways to attend begin with: head `head` of sequence s of a matrix
   with n's shape that lies at `at`; and checks, which abort with the shapes:
   of the heads of queries and keys (or values), of their widths, of the lengths
   that a mask by position asks for. */
Matrix head_of(const Node *n, real *at, int s, int head);
void check_heads(const char *name, const Node *q, const Node *k);
void check_scores(const char *name, const Node *q, const Node *k);
void check_mask(const char *name, const Attention *a, int tokens, int asked);

/* Into how many groups the heads of q fall that share no head of k or of v. */
int head_groups(const Node *k, const Node *v);

/* FLOPs of a product of every query with every key (or weight with value),
   `width` numbers each. Masked pairs are counted too. */
double pair_flops(const Node *q, int asked, int width);

/* Notes a call, and replaces its result where that is asked for. */
void watch_call(Watch *w, Call call);

/* Notes a place, and puts the calls and softmaxes noted since seen.calls and
   seen.softmaxes in the order in which seen.out depends on them
   (backward_order, tape.h), whichever was made first. */
void watch_place(Watch *w, Seen seen);

/* The scores (scale q_i k_i', those that are masked -INFINITY) and the weights
   of head `head` of sequence `sequence`, each (tokens x tokens asked), computed
   again from what the call was given. */
void call_weights(const Call *c, int sequence, int head, double *scores,
                  double *weights);

#endif
