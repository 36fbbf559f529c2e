/* pairs.h - a user's own sequences: a table of inputs and answers.

   A line of the file, after its first, "input TAB target", is a sequence:
   tokens with blanks between, a tab, as many answers; "-" asks for none. The
   first 80% of the lines are for training, 10% each for validation and test.
   Shorter sequences are padded with one more token, at which nothing is
   asked. */
#ifndef PAIRS_H
#define PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "math/random.h"

typedef struct Pairs {
    int *ids, *targets; /* (sequences x tokens) */
    int sequences, tokens, vocabulary, classes;
    int part[4]; /* part[i] .. part[i + 1] - 1 are those of Split i */
    uint64_t hash;
} Pairs;

/* Exits with what is wrong with the file, and in which line. */
Pairs *pairs_open(const char *path);
void pairs_close(Pairs *p);

/* Fills a sequence with line `index` of a part, false past the last; or with r
   with any line. */
bool pairs_sequence(const Pairs *p, int split, int index, Random *r, int *ids,
                    int *targets);

/* How often the answer that is commonest in training is right in part
   `part`. */
double pairs_commonest(const Pairs *p, int part);

#endif
