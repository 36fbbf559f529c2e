/* task.h - what is learned: where the sequences come from.

   A task makes sequences of tokens. Each token has one or more ids, which are
   numbers of symbols, and a target: the class that is the right answer, or -1
   if the token asks nothing. Training, validation and test are three splits,
   which draw from separate streams, so every accuracy is measured on fresh
   data. */
#ifndef TASK_H
#define TASK_H

#include "heart/config.h"
#include "heart/random.h"

/* The sizes of a task's sequences. */
typedef struct Sizes {
    int tokens;         /* in a sequence */
    int each;           /* ids of each token; their embeddings are added */
    int vocabulary;     /* number of different ids */
    int classes;        /* number of different answers */
    int source;         /* tokens of the second sequence, which cross-attention
                           reads; 0 in tasks with one sequence */
    double first, step; /* if answers are numbers, answer k stands for
                           first + k step; if they are classes, step is 0 */
} Sizes;

/* Sequences, one after the other. A row is a token of one of them. An id of -1
   means none. */
typedef struct Batch {
    int capacity, sequences;   /* how many fit the memory of the whole batch,
                                  and how many there are */
    int tokens, source_tokens; /* number of tokens of a sequence, and of its
                                  second sequence */
    int each;                  /* ids of each token */
    int rows, source_rows;     /* tokens of all sequences */
    int *ids, *source;         /* `each` for each token of either sequence */
    int *targets;              /* one for each row */
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

    /* Sizes for a config. The caller has checked that sequences can be drawn
       with it: recall needs at least as many symbols as keys; induction needs
       at least LONGEST_PERIOD symbols and a greater length. */
    Sizes (*sizes)(const Config *c);

    /* Draws one sequence: sets every id and every target of b, a batch of one
       sequence, whose memory may still hold an earlier one. */
    void (*draw)(const Config *c, Random *r, Batch *b);

    /* Set instead of `draw` if sequences are read from a file. Reads the
       sequence with this index in a split, or in training a random one; returns
       false past the last. */
    bool (*read)(const Dataset *data, Split split, int index, Random *r,
                 Batch *b);
} Task;

/* The tasks of the heart. */
enum { RECALL, INDUCTION, SORT, HEART_TASKS };
enum { SHORTEST_PERIOD = 4, LONGEST_PERIOD = 8 }; /* of induction */
extern const Task heart_tasks[HEART_TASKS];

/* The functions below also serve tasks outside the heart. */

/* plain_sizes returns the sizes of a task whose tokens have one id, a symbol,
   and whose answers are symbols; recall_sizes, the sizes of a task whose tokens
   are pairs of a key and a value. */
Sizes plain_sizes(const Config *c);
Sizes recall_sizes(const Config *c);

/* Draws c->length symbols. */
void draw_symbols(const Config *c, Random *r, int *ids);

/* Draws n different numbers of 0 .. count - 1. */
void draw_distinct(Random *r, int *to, int n, int count);

/* Draws c->length pairs, a key and a value each, into ids[0 .. 2 length - 1];
   no two keys are equal. Sets order[0 .. length - 1] to the numbers of the
   pairs in random order, in which a task may ask for them. */
void draw_pairs(const Config *c, Random *r, int *ids, int *order);

/* A batch of as many sequences as fit, with memory for them, to be freed with
   batch_free. */
Batch batch_new(Sizes s, int sequences);
void batch_free(Batch *b);

/* The part of a batch that has `count` of its sequences, from number `first`
   on. It uses the batch's memory, and is not to be freed. */
Batch batch_part(const Batch *b, int first, int count);

/* The random stream from which the sequences of a split are drawn. */
Random dataset_stream(const Dataset *data, Split split);

/* Fills b with batch number `index` of a split: as many sequences as fit, drawn
   from r. Returns their number, which is smaller at the end of a split, and 0
   past it. Training has no end. */
int dataset_draw(const Dataset *data, Split split, Random *r, int index,
                 Batch *b);

#endif
