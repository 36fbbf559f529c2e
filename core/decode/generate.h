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
   AT_ONCE in a step. decoder_new allocates all memory; the steps allocate none.
 */
enum { AT_ONCE = 16 };
typedef struct Decoder {
    Model *model;
    Cache *cache;
    Tape *tape;
    Batch batch; /* the tokens of one step. If the model has two sequences, set
                    batch.source to the second one before the first step */
    int first, read; /* used by decoder_continue: tokens first .. read - 1 of
                        the text are in the cache */
} Decoder;
Decoder *decoder_new(Model *m, int tokens);
void decoder_free(Decoder *d);

/* Reads the next `count` tokens, each of sizes.each ids. Returns the logits at
   the last of them, or NULL if count is 0. The next call overwrites these
   logits. Those at the other tokens of the last step precede them in memory. */
const real *decoder_read(Decoder *d, const int *ids, int count);

/* Reads the first `count` tokens of a text, except those that earlier calls
   have read, and returns the logits after them. If they do not fit into the
   cache, clears it and reads only the latest tokens again, half as many as fit,
   from position 0 on. */
const real *decoder_continue(Decoder *d, const int *ids, int count);

/* A class is chosen with probability softmax(logits / temperature). At
   temperature 0 it is the likeliest class, or the first of several. If top_k is
   not 0, only the top_k likeliest classes can be chosen, and any others that
   are exactly as likely as the last of these. */
typedef struct Sampling {
    double temperature;
    int top_k;
} Sampling;

/* Returns a class, chosen from the logits of `classes` classes. No logit may be
   NaN. */
int choose(const real *logits, int classes, Sampling how, Random *r);

/* A copy of m that can read `tokens` tokens. If m adds learned vectors of
   positions, the copy can read only as many tokens as m, because later
   positions have no vector. Free it with model_free. */
Model *model_for_length(const Model *m, int tokens);

#endif
