/* generate.h - continues a text with a model, token by token.

   It calls the same forward as training does, but on the new tokens only. A
   cache keeps the rows of earlier tokens that forward needs (decode/cache.h).
 */
#ifndef GENERATE_H
#define GENERATE_H

#include "decode/cache.h"
#include "heart/random.h"
#include "training/build_model.h"

/* A model with the memory to read a sequence of `tokens` tokens, at most
   AT_ONCE in a step. decoder_new allocates all of it, and a step none. */
enum { AT_ONCE = 16 };
typedef struct Decoder {
    Model *model;
    Cache *cache;
    Tape *tape;
    Batch batch; /* of one step. If the model has an encoder, set batch.source
                    to what it reads before the first step */
    int first, read; /* decoder_continue: tokens first .. read - 1 of the text
                        have been read, and are in the cache */
} Decoder;
Decoder *decoder_new(Model *m, int tokens);
void decoder_free(Decoder *d);

/* Reads the next `count` tokens, each of sizes.each ids. Returns the logits
   after the last of them, or NULL if count is 0. The next step overwrites them.
   The logits of the other tokens of the last step are before them in memory. */
const real *decoder_read(Decoder *d, const int *ids, int count);

/* Reads the first `count` tokens of a text, except those that earlier calls
   have read, and returns the logits after them. If they do not fit into the
   cache, it forgets all tokens and reads only the latest ones, half as many as
   fit, from position 0. */
const real *decoder_continue(Decoder *d, const int *ids, int count);

/* How a token is chosen: with probability softmax(logits / temperature). At
   temperature 0 it is the likeliest token, or the first of several. If top_k is
   not 0, only the top_k likeliest can be chosen, and those that are as likely
   as the last of these. */
typedef struct Sampling {
    double temperature;
    int top_k;
} Sampling;

/* Returns a class. No logit may be NaN. */
int choose(const real *logits, int classes, Sampling how, Random *r);

/* Continues a sequence of `given` ids until it has `count`; `ids` has memory
   for these. Each new id is chosen from the logits after all ids before it, and
   passed to `each_new`. Stops early if stdout cannot be written. */
void continue_sequence(const Model *m, const Dataset *data, int *ids, int given,
                       int count, Sampling how, Random *r,
                       void each_new(const Dataset *data, int id));

#endif
