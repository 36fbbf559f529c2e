/* generate.h - continues a text with a model, token by token.

   It calls the same forward as training does, but only on the new tokens. A
   cache keeps the rows of earlier tokens that forward needs (decode/cache.h).
 */
#ifndef GENERATE_H
#define GENERATE_H

#include "decode/cache.h"
#include "heart/random.h"
#include "training/build_model.h"

/* A model, and the memory to read a sequence of at most `tokens` tokens with
   it. A step reads at most AT_ONCE tokens. decoder_new allocates all memory, so
   the steps allocate none. It does not copy the model, which must outlive the
   decoder. */
enum { AT_ONCE = 16 };
typedef struct Decoder {
    Model *model;
    Cache *cache;
    Tape *tape;
    Batch batch; /* the tokens of one step. If the model has two sequences, set
                    batch.source to the second one before the first step. Then
                    a later step of as many tokens as the second sequence has
                    is wrong for a variant that rotates its own queries: rotate
                    takes them for the keys, which begin at position 0 */
    int first, read; /* for decoder_continue: tokens first .. read - 1 of its
                        text are in the cache */
} Decoder;
Decoder *decoder_new(Model *m, int tokens);
void decoder_free(Decoder *d);

/* Reads the next `count` tokens, each of sizes.each ids. Returns the logits at
   the last of these tokens, or NULL if count is 0. The next call overwrites
   them. The logits at the other tokens of the same step precede them in memory.
 */
const real *decoder_read(Decoder *d, const int *ids, int count);

/* Reads the first `count` tokens of a text, except for the tokens that earlier
   calls have read. Returns the logits at the last token. If the cache has no
   memory left for the new tokens, clears it, and reads only the last of all
   tokens, half as many as the cache can hold, from position 0 on. */
const real *decoder_continue(Decoder *d, const int *ids, int count);

/* How a class is chosen: with probability softmax(logits / temperature) or, at
   temperature 0, as the first of the likeliest classes. If top_k is not 0, only
   the top_k likeliest classes can be chosen, and any class that is exactly as
   likely as the last of these. */
typedef struct Sampling {
    double temperature;
    int top_k;
} Sampling;

/* Returns a class, chosen by the logits of `classes` classes, none of which may
   be NaN. r may be NULL at temperature 0. */
int sample(const real *logits, int classes, Sampling how, Random *r);

/* A copy of m that can read `tokens` tokens. If m adds vectors of positions to
   its tokens, the copy can read only as many tokens as m, because later
   positions have no vector. Free the copy with model_free. */
Model *model_for_length(const Model *m, int tokens);

#endif
