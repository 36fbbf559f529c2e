/* corpus.h - a user's file as sequences: a text, or a table of pairs.

   In a text (UTF-8) every token, a character, asks for the next one.
   A line of a table, after its first, "input TAB target", is a sequence: tokens
   with blanks between, a tab, as many answers; "-" asks for none. Shorter
   sequences are padded with one more token, at which nothing is asked. The
   first 80% of either are for training, 10% each for validation and test. */
#ifndef CORPUS_H
#define CORPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "config/tasks.h"

typedef struct Corpus {
    int *ids, *targets; /* of all tokens; where none is asked for -1. Those of a
                           text are its ids, from the second on */
    int tokens;         /* in a sequence */
    int part[4]; /* tokens part[i] .. part[i + 1] - 1 are those of Split i */
    int vocabulary, classes;
    int *codes;             /* of each id of a text, Unicode; else NULL */
    Values inputs, answers; /* the words of a table, by their ids */
    uint64_t hash;          /* of the file */
} Corpus;

/* Read a text, cut into sequences of so many tokens, and a table. They exit
   saying what is wrong with the file and where. */
Corpus *text_open(const char *path, int tokens);
Corpus *pairs_open(const char *path);
void corpus_close(Corpus *c);

/* Fills a sequence with number `index` of a split, read from end to end, false
   past the last; or with r with one that is drawn. */
bool corpus_sequence(const Corpus *c, Split split, int index, Random *r,
                     int *ids, int *targets);

/* What counting alone achieves on a split. Of a text: the loss, in nats a
   token, of naming each by how often it occurs in the training part, and how
   often after the one before it, one added to every count; and the share that
   is the likeliest after the one before it. Of a table: how often the answer
   that is commonest in training is right. */
void corpus_levels(const Corpus *c, Split split, Levels *l);

#endif
