/* generate.h - continues a text with a model, token by token.

   It calls the same forward as training does, but on the new tokens only. What
   forward needs of earlier tokens is in a cache (decode/cache.h). */
#ifndef GENERATE_H
#define GENERATE_H

#include "decode/cache.h"
#include "heart/random.h"
#include "tasks/tasks.h"
#include "training/build_model.h"

/* A model with the memory to read a sequence of `tokens` tokens, at most
   AT_ONCE in a step. All memory is allocated by decoder_new, none by a step. */
enum { AT_ONCE = 16 };
typedef struct Decoder {
    Model *model;
    Cache *cache;
    Tape *tape;
    Batch batch; /* of one step; batch.source is what the encoder reads, and is
                    set before the first step */
    int first, read; /* decoder_continue: tokens first .. read - 1 of the text
                        have been read */
} Decoder;
Decoder *decoder_new(Model *m, int tokens);
void decoder_free(Decoder *d);

/* Reads the next `count` tokens, each of sizes.each ids. Returns the logits
   after the last of them, which the next step overwrites. Before them in memory
   are the logits of the other tokens of the last step. */
const real *decoder_read(Decoder *d, const int *ids, int count);

/* Returns the logits after the first `count` tokens of a text, and reads those
   that it has not read yet. If they do not fit into its memory, it forgets them
   all, and reads the latest half of what fits again, from position 0. */
const real *decoder_continue(Decoder *d, const int *ids, int count);

/* How a token is chosen: with probability softmax(logits / temperature). At
   temperature 0 it is the likeliest token, the first of several. If top_k is
   not 0, only the top_k likeliest can be chosen, and any as likely as the last
   of these. */
typedef struct Sampling {
    double temperature;
    int top_k;
} Sampling;

/* Returns a class. No logit may be NaN. */
int choose(const real *logits, int classes, Sampling how, Random *r);

/* Continues a sequence of `given` ids until it has `count`. Each new id is
   chosen from the logits after all ids before it, and passed to `said`. */
void continue_sequence(const Model *m, const Dataset *data, int *ids, int given,
                       int count, Sampling how, Random *r,
                       void said(const Dataset *data, int id));

#endif
