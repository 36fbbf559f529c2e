/* watched.h - what a watch has seen of one place of a model: attention maps,
   and whether what comes out lies in the range of what went in.

   A head is a head of a call to attend, or of a softmax taken step by step,
   numbered from 0 through all of the place. */
#ifndef WATCHED_H
#define WATCHED_H

#include "tape/attend.h"
#include "tape/tape.h"
#include "model/model.h"

/* One forward run of m on the batch, watched. */
typedef struct Watched {
    Watch watch;
    Tape *tape;
    Node *logits;
} Watched;

Watched *watch_model(Model *m, const Batch *b);
void watched_free(Watched *w);

/* Calls and softmaxes noted up to the end of the place, as many as are kept. */
Seen watched_end(const Watch *w, int place);

/* How many heads the place has; the tokens that ask, and are asked, in a
   sequence. */
int watched_heads(const Watch *w, int place);
int watched_tokens(const Watch *w, int place);
int watched_asked(const Watch *w, int place);

/* The weights of a head in a sequence, (tokens x asked): each row sums to 1. */
void watched_weights(const Watch *w, int place, int head, int sequence,
                     double *weights);

/* Convexity. A row of weights is not negative and sums to 1, so what attend
   returns lies, coordinate by coordinate, between the smallest and the largest
   of the values that it weighs. What the map behind it makes of that need not
   lie between the smallest and the largest of the tokens y. */
typedef struct Range {
    double numbers, outside;          /* of what is weighed */
    double returned, returned_beyond; /* of the place's output, against y */
} Range;

/* Counts them in all sequences. A softmax taken step by step is held against y
   where what it returns is as wide: there the values may be products that no
   softmax bounds (symmetric-data). */
Range watched_range(const Watch *w, int place);

#endif
