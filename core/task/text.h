/* text.h - a text file as a sequence of tokens. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "math/random.h"

/* The first 80% of a text are for training, 10% each for validation and for
   test. A token is a character (UTF-8) or a byte, numbered from 0 in the order
   of their codes. */
typedef struct Text {
    const char *path;
    bool bytes; /* or characters */
    int count, vocabulary;
    int *codes;         /* of each id: Unicode, or the byte */
    int part[4];        /* part[i] .. part[i + 1] - 1 are those of Split i */
    uint64_t hash;      /* of the file's bytes */
    unsigned char *ids; /* of `width` bytes each, once the first is asked for */
    int width;
} Text;

/* Reads a text whose parts each have a window of `window` tokens and the one
   after it. Exits saying what is wrong with the file and where. `path` is the
   caller's, for as long as the text is open. */
Text *text_open(const char *path, bool bytes, int window);
void text_close(Text *t);

/* The id of token i; the first one asked for has the file read again. */
int text_token(Text *t, int i);

/* Fills a sequence whose every token asks for the next one: sequence `index` of
   a part that is read from end to end, false past the last; or with r one that
   begins anywhere. */
bool text_sequence(Text *t, int split, int index, Random *r, int tokens,
                   int *ids, int *targets);

/* What the ids take, and counting pairs of them. */
double text_bytes(const Text *t);

/* What counting alone achieves on the tokens from .. to - 1: the loss, in nats
   a token, of naming each by how often it occurs in the training part, and
   how often after the one before it, one added to every count; and the share
   that is the likeliest after the one before it. */
typedef struct Counting {
    double unigram_loss, bigram_loss, bigram_accuracy;
} Counting;
Counting text_counting(Text *t, int from, int to);

#endif
