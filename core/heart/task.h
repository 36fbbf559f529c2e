/* task.h - what is learned: where the sequences come from.

   A task makes sequences of tokens and says, token by token, which class is
   the right answer, or that none is asked for. Training, validation and test
   draw from separate streams, so every accuracy is on fresh data. */
#ifndef TASK_H
#define TASK_H

#include "heart/config.h"
#include "heart/random.h"

/* What a task makes of its settings. */
typedef struct Sizes {
    int tokens;     /* in a sequence */
    int each;       /* ids a token: their embeddings are added */
    int vocabulary; /* different ids */
    int classes;    /* different answers */
    int source; /* tokens of the sequence whose keys cross-attention reads; 0
                   for tasks of one sequence */
    double first, step; /* where an answer is a number: answer k stands for
                           first + k step; step 0: answers are classes */
} Sizes;

/* Sequences, one after the other: `tokens` tokens and answers each, -1 where no
   answer is asked for; with several ids a token, -1 where one is missing. */
typedef struct Batch {
    int room, sequences; /* how many there can be, and how many there are */
    int tokens, source_tokens, each;
    int rows, source_rows; /* of all sequences: tokens, and tokens of sources */
    int *ids, *targets, *source; /* each * rows; rows; each * source_rows */
} Batch;

typedef enum { TRAINING, VALIDATION, TEST } Split;

/* A task with its settings: what training, validation and test draw their
   batches from. */
typedef struct Dataset {
    const struct Task *task;
    Config config;
    Sizes sizes;
    struct Corpus *corpus; /* of a task that reads a file; else NULL */
} Dataset;

typedef struct Task {
    const char *name;
    Config start; /* at which standard attention solves it */

    /* Sizes from a config. The caller has checked that sequences can be drawn
       from it: for recall there are as many symbols as keys, for induction the
       length and the symbols are above the longest period. */
    Sizes (*sizes)(const Config *c);

    /* Draws one sequence: sets every id and every target (-1: no answer). Its
       memory may hold an earlier sequence. */
    void (*draw)(const Config *c, Random *r, Batch *e);

    /* Instead, where sequences are read from a file: number `index` of a split,
       or with r one that is drawn; false past the last. */
    bool (*read)(const Dataset *data, Split split, int index, Random *r,
                 Batch *e);
} Task;

/* The tasks of the heart. */
enum { RECALL, INDUCTION, SORT, HEART_TASKS };
enum { SHORTEST_PERIOD = 4, LONGEST_PERIOD = 8 }; /* of induction */
extern const Task heart_tasks[HEART_TASKS];

/* What other tasks are made of, too: sequences of `length` symbols; n numbers
   of 0 .. count - 1 that differ; n pairs of a key and a value, and the order in
   which they are asked for. */
Sizes plain_sizes(const Config *c);
Sizes recall_sizes(const Config *c);
void draw_symbols(const Config *c, Random *r, int *ids);
void draw_distinct(Random *r, int *to, int n, int count);
void draw_pairs(const Config *c, Random *r, int *ids, int *order);

Batch batch_new(Sizes s, int sequences);
void batch_free(Batch *b);

/* `count` of its sequences, from `first` on, in the batch's memory. */
Batch batch_part(const Batch *b, int first, int count);

/* The stream that a split's batches are drawn from. */
Random dataset_stream(const Dataset *data, Split split);

/* Draws as many sequences as the batch has room for; `index` counts the batches
   of a split from 0. Returns how many there were: fewer at the end of the
   split, 0 past it. */
int dataset_draw(const Dataset *data, Split split, Random *r, int index,
                 Batch *b);

#endif
