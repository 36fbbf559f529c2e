/* generate.h - a model that goes on where a text ends, token by token.

   forward is as in training, on the new tokens alone; what it needs of earlier
   ones a cache keeps (decode/cache.h). */
#ifndef GENERATE_H
#define GENERATE_H

#include "decode/cache.h"
#include "heart/random.h"
#include "tasks/tasks.h"
#include "training/build_model.h"

/* Memory for a sequence of `tokens` tokens, of which a step takes AT_ONCE at
   most. All of it: no step allocates. decoder_free it. */
enum { AT_ONCE = 16 };
typedef struct Decoder {
    Model *model;
    Cache *cache;
    Tape *tape;
    Batch batch;     /* in batch.source what the encoder reads, before the
                        first step */
    int first, read; /* tokens of a text that goes on: those that are in it */
} Decoder;
Decoder *decoder_new(Model *m, int tokens);
void decoder_free(Decoder *d);

/* Reads the next `count` tokens, each of as many ids as the model's sizes say.
   Returns the logits of the last; those of the others of its step are before
   them. They are there until the next step. */
const real *decoder_read(Decoder *d, const int *ids, int count);

/* A text that goes on: the logits after its first `count` tokens, of which the
   decoder reads those that it has not read. Where it has no memory for more, it
   forgets all, and reads the last half again, from position 0. */
const real *decoder_go_on(Decoder *d, const int *ids, int count);

/* How a token is chosen: with the chance softmax(logits / temperature), at
   temperature 0 the likeliest, the first if there are several; if top_k is not
   0, among the top_k likeliest, and those that are as likely as the last of
   them. */
typedef struct Sampling {
    double temperature;
    int top_k;
} Sampling;

/* One class. Logits are numbers, not NaN. */
int choose(const real *logits, int classes, Sampling how, Random *r);

/* Fills ids, of a dataset, from number `given` to count - 1: each is chosen
   after all before it, and handed to `said`. */
void go_on(const Model *m, const Dataset *data, int *ids, int given, int count,
           Sampling how, Random *r, void said(const Dataset *data, int id));

#endif
