/* generation.h - a trained run that was asked to say something: what it goes on
   from, and how each token is chosen. */
#ifndef GENERATION_H
#define GENERATION_H

#include "decode/generate.h"
#include "driver/options.h"

typedef struct Generation {
    const Options *options;
    const char *run; /* for messages */
    Dataset data;
    Model *model;
    Choice how;
    Random random;
    int *ids, *source; /* all tokens, the prompt's first; the second sequence */
    int prompt, count; /* tokens of the prompt; of all, in the end */
    bool watched;      /* on a terminal, where each token shows at once */
} Generation;

/* The most tokens that can be asked for. */
enum { LONGEST = 1000000 };

/* The answer that is chosen by its logits; exits where they are no numbers. */
int answer_chosen(Generation *g, const real *logits);

/* A decoder of g->count tokens, or as many as there are positions for, with the
   source read; `ids` and the model become long enough for it. decoder_free it.
 */
Decoder *generation_decoder(Generation *g);

/* Fills ids from `prompt` to count - 1, and hands each to `say`, which may be
   NULL. */
void go_on(Generation *g, Decoder *d, void say(const Generation *, int id));

#endif
