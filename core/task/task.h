/* task.h - what is learned: where the sequences come from.

   A task makes sequences of tokens and says, token by token, which class is
   the right answer, or that none is asked for. Training, validation and test
   draw from streams of their own, so every accuracy is on fresh data. */
#ifndef TASK_H
#define TASK_H

#include "heart/random.h"
#include "task/settings.h"

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
    int answer; /* the id of the token that answer 0 is; 1 is the next one */
} Sizes;

/* One sequence: `tokens` tokens and answers, -1 where none is asked for; with
   several ids a token, -1 where one is missing. */
typedef struct Example {
    int *ids, *targets; /* each * tokens; tokens */
    int *source;        /* each * source; NULL where there is none */
    int tokens, each;
} Example;

typedef struct Task {
    const char *name;
    const char *what;     /* in a line */
    const char *trivial;  /* what one can do without learning it */
    const char *settings; /* at which standard attention solves it */

    /* Sizes from the config; exits (2) on settings that cannot be. */
    Sizes (*sizes)(const Config *c);

    /* Draws one. */
    void (*draw)(const Config *c, Random *r, Example *e);

    /* The trivial baseline's answers, of which those count that are asked for;
       NULL where they are numbers: then it answers 0. */
    void (*guess)(const Config *c, const Example *e, int *guesses);

    bool next; /* the answer at a token is the token after it */
} Task;

extern const Task tasks[];
extern const int task_count;

/* Exits (2) with the nearest name where there is none. */
const Task *task_named(const char *name);

/* What is measured: "accuracy", or "R^2" where answers are numbers. */
const char *task_measure(const Task *t);

typedef struct Batch {
    int sequences, rows; /* rows = sequences * tokens */
    int source_rows;
    Example all; /* the sequences' ids, one after the other, and so on */
} Batch;

Batch batch_new(Sizes s, int sequences);
void batch_free(Batch *b);

/* `count` of its sequences, from `first` on; the numbers are the batch's. */
Batch batch_part(const Batch *b, Sizes s, int first, int count);

typedef enum { TRAINING, VALIDATION, TEST } Split;

/* A task with its settings, and the file of text or pairs where it has one:
   what training, validation and test draw their batches from. */
typedef struct Dataset {
    const Task *task;
    Config config;
    Sizes sizes;
    struct Corpus *corpus; /* of text and pairs; else NULL */
} Dataset;

/* Exits with what is wrong with the settings or the file. Sets
   c->file_hash. */
Dataset dataset_open(Config *c);
void dataset_close(Dataset *data);

/* The same of a corpus that is there already, or none (NULL). */
Dataset dataset_of(const Config *c, struct Corpus *corpus);

/* The stream that a split's batches are drawn from. */
Random dataset_stream(const Dataset *data, Split split);

/* Fills the batch; `index` counts the batches of a split from 0. A text's
   validation and test parts are read from end to end, other data are drawn
   from r. Returns how many sequences there were, 0 past the last; the rest of
   the batch asks for nothing. */
int dataset_draw(const Dataset *data, Split split, Random *r, int index,
                 Batch *b);

/* The trivial baselines: guessing evenly, and what one can do without learning
   the task (`trivial`), whose accuracy is measured by letting it answer. */
typedef struct Levels {
    double chance, trivial;           /* accuracies of the two */
    double chance_loss;               /* nats */
    double unigram_loss, bigram_loss; /* of a text, else NaN */
} Levels;

/* Of a split: a file's parts differ, what is drawn does not. */
Levels dataset_levels(const Dataset *data, Split split);

/* As many sequences as have no more than `tokens`, but 1 at least, and `most`
   at most. */
int sequences_within(Sizes sizes, int tokens, int most);

#endif
