/* corpus.h - a user's text as sequences: the data of the task `text`.

   A token is a character of UTF-8, and its answer is the next character. The
   first 80% of the text are for training, the next 10% for validation, and the
   last 10% for the test. */
#ifndef CORPUS_H
#define CORPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "heart/task.h"

enum { SPLITS = TEST + 1 }; /* how many splits there are */

typedef struct Corpus {
    int *ids;     /* the ids of all tokens, in the order of the text */
    Values names; /* the text of each id */
    bool words;   /* whether tokens are words separated by spaces, rather than
                     characters; false for the text of a file */
    int begin[SPLITS + 1]; /* split i has the tokens begin[i] .. begin[i + 1] -
                              1; begin[SPLITS] is the number of all tokens */
    uint64_t hash;         /* hash_bytes of the file */
} Corpus;

/* Reads the text at `path`. The result is never freed. Exits if the path is "",
   if the file cannot be read or is not UTF-8, or if its test split is too short
   for a sequence of `tokens` tokens. */
Corpus *corpus_open(const char *path, int tokens);

/* Task.read (heart/task.h) for a text: copies one sequence and its answers into
   b. A sequence of training begins at a random token. In the other splits the
   sequences follow one another, and `index` counts them from 0; returns false
   past the last. */
bool corpus_read(const Dataset *data, Split split, int index, Random *r,
                 Batch *b);

/* The trivial baseline of a text, a bigram model. It counts how often each pair
   of neighbouring characters occurs in the training split. After a character c
   it guesses the one that most often followed c there. Its probabilities are
   the counts of all pairs that begin with c, each plus one, divided by their
   sum. The loss is in nats per token. */
typedef struct PairBaseline {
    double accuracy, loss;
} PairBaseline;

/* The result of this baseline on a split. */
PairBaseline pair_baseline(const Corpus *c, Split split);

#endif
