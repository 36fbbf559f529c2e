/* corpus.h - a user's text as sequences.

   A token is a character of UTF-8, and its answer is the next one. The first
   80% of the text are for training, 10% each for validation and test. */
#ifndef CORPUS_H
#define CORPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "heart/task.h"

typedef struct Corpus {
    int *ids;      /* of all tokens */
    Values names;  /* the text of each id */
    bool words;    /* names are words, between blanks, not characters */
    int part[4];   /* Split i has the tokens part[i] .. part[i + 1] - 1 */
    uint64_t hash; /* of the file's bytes */
} Corpus;

/* Reads a text, to be cut into sequences of `tokens` tokens, and keeps it until
   the program ends. Exits if the file is not UTF-8 or too short. */
Corpus *text_open(const char *path, int tokens);

/* Task.read of a text: training draws where a sequence begins; the other splits
   are read from end to end. */
bool corpus_read(const Dataset *data, Split split, int index, Random *r,
                 Batch *e);

/* The result on a split of a baseline that counts pairs of characters in the
   training part. It guesses the character that most often followed the one
   before. Its probabilities are the shares of these counts, with one added to
   every count; the loss is in nats a token. */
typedef struct PairBaseline {
    double accuracy, loss;
} PairBaseline;
PairBaseline pair_baseline(const Corpus *c, Split split);

#endif
