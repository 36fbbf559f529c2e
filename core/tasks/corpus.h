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
    bool words;    /* names are words with blanks between, not characters */
    int part[4];   /* tokens part[i] .. part[i + 1] - 1 are those of Split i */
    uint64_t hash; /* of the file */
} Corpus;

/* Reads a text, to be cut into sequences of `tokens` tokens, and keeps it until
   the program ends. Exits if the file is not UTF-8 or too short. */
Corpus *text_open(const char *path, int tokens);

/* Task.read of a text: training draws where a sequence begins; the other splits
   are read from end to end. */
bool corpus_read(const Dataset *data, Split split, int index, Random *r,
                 Batch *e);

/* What counting pairs of characters achieves on a split. Its guess is the
   character that most often follows the one before it in the training part. Its
   loss, in nats a token, is that of the shares of these counts, with one added
   to every count. */
typedef struct PairBaseline {
    double accuracy, loss;
} PairBaseline;
PairBaseline pair_baseline(const Corpus *c, Split split);

#endif
