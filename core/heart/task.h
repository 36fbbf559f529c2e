/* task.h - what is learned: where the sequences come from.

   A task makes sequences of tokens and says, token by token, which class is
   the right answer, or that there is no question. Training, validation and test
   draw from separate streams, so every accuracy is measured on fresh data. */
#ifndef TASK_H
#define TASK_H

#include "heart/config.h"
#include "heart/random.h"

/* The sizes of a task's sequences. */
typedef struct Sizes {
    int tokens;         /* in a sequence */
    int each;           /* ids of a token, whose embeddings are added */
    int vocabulary;     /* number of different ids */
    int classes;        /* number of different answers */
    int source;         /* tokens of the second sequence, which cross-attention
                           reads; 0 in tasks of one sequence */
    double first, step; /* if answers are numbers, answer k stands for
                           first + k step; if they are classes, step is 0 */
} Sizes;

/* Sequences, one after the other. Each has `tokens` tokens, and a target for
   each token: the class that is its answer, or -1 if it has none. A token has
   `each` ids, of which -1 stands for none. */
typedef struct Batch {
    int room, sequences; /* how many there can be, and how many there are */
    int tokens, source_tokens, each; /* of one sequence; Sizes */
    int rows, source_rows;           /* tokens of all sequences */
    int *ids, *source;               /* each token has `each` ids */
    int *targets;                    /* one for each row */
} Batch;

typedef enum { TRAINING, VALIDATION, TEST } Split;

/* A task with its settings. Training, validation and test draw their batches
   from it. */
typedef struct Dataset {
    const struct Task *task;
    Config config;
    Sizes sizes;
    struct Corpus *corpus; /* the text of a task that reads a file, or NULL */
} Dataset;

typedef struct Task {
    const char *name;
    Config start; /* standard attention solves the task with these settings */

    /* Sizes from a config. The caller has checked that sequences can be drawn
       from it: recall needs as many symbols as keys; induction needs a length
       and a number of symbols above the longest period. */
    Sizes (*sizes)(const Config *c);

    /* Draws one sequence: sets every id and every target of e, whose memory may
       still hold an earlier sequence. */
    void (*draw)(const Config *c, Random *r, Batch *e);

    /* Set instead of `draw` if sequences are read from a file. Reads the one
       with this index in a split, or in training a random one; returns false
       past the last. */
    bool (*read)(const Dataset *data, Split split, int index, Random *r,
                 Batch *e);
} Task;

/* The tasks of the heart. */
enum { RECALL, INDUCTION, SORT, HEART_TASKS };
enum { SHORTEST_PERIOD = 4, LONGEST_PERIOD = 8 }; /* of induction */
extern const Task heart_tasks[HEART_TASKS];

/* Parts from which other tasks are made too. draw_symbols draws `length`
   symbols; draw_distinct, n different numbers of 0 .. count - 1; draw_pairs,
   pairs of a key and a value, and the order in which the keys are queried. */
Sizes plain_sizes(const Config *c);
Sizes recall_sizes(const Config *c);
void draw_symbols(const Config *c, Random *r, int *ids);
void draw_distinct(Random *r, int *to, int n, int count);
void draw_pairs(const Config *c, Random *r, int *ids, int *order);

Batch batch_new(Sizes s, int sequences);
void batch_free(Batch *b);

/* The part of a batch that has `count` of its sequences, from number `first`
   on. It uses the batch's memory. */
Batch batch_part(const Batch *b, int first, int count);

/* The random stream from which the batches of a split are drawn. */
Random dataset_stream(const Dataset *data, Split split);

/* Fills batch number `index` of a split with as many sequences as it has room
   for. Returns how many there were: fewer at the end of the split, 0 past it.
 */
int dataset_draw(const Dataset *data, Split split, Random *r, int index,
                 Batch *b);

#endif
