/* tasks.h - all tasks: the heart's three (heart/task.c) and six others
   (tasks.c). A new task is a row of the table in tasks.c. Losses are in
   heart/embedding_and_loss.h (cross_entropy) and training/architectures.h
   (number_loss). */
#ifndef TASKS_H
#define TASKS_H

#include "config/settings.h"
#include "heart/task.h"

/* A task, with the facts about it that training does not need. */
typedef struct KnownTask {
    const Task *task;
    const char *what;    /* a description of one line */
    const char *trivial; /* what the trivial baseline answers, in words */

    /* Sets guesses[t] to the trivial baseline's answer at each token t of one
       sequence, b. NULL if answers are numbers, because the baseline then
       answers 0. NULL also for a text, whose baseline is in corpus.h. */
    void (*guess)(const Config *c, const Batch *b, int *guesses);

    bool answer_is_next_token; /* at every token */
} KnownTask;

extern const KnownTask tasks[];
extern const int task_count;

/* Exits (2) if there is no such task, and suggests the nearest name. */
const KnownTask *task_named(const char *name);

/* The default settings of a task. */
Config task_start(const char *name);

/* The default settings of the first task of the table. */
Config config_start(void);

/* The name of the task's measure: "accuracy", or "R^2" if answers are numbers.
 */
const char *task_measure(const KnownTask *t);

/* The dataset of the task c->task with the settings of c. If the task reads a
   file, reads it and sets c->file_hash. Exits if the settings or the file do
   not fit the task. */
Dataset dataset_open(Config *c);

/* The id of the token that is answer 0. The id of answer k is this id + k. */
int first_answer(const Dataset *data);

/* The results of two baselines: `chance` gives all answers the same
   probability; `trivial` is described by KnownTask.trivial. If answers are
   numbers, accuracies are R^2, and losses are mean squared errors. */
typedef struct Baselines {
    double chance, trivial; /* accuracies of the two */
    double chance_loss;     /* in nats per token */
    double bigram_loss; /* the loss of a text's trivial baseline; NaN for other
                           tasks */
} Baselines;

/* The baselines on a split. They differ between splits only for a text. */
Baselines dataset_baselines(const Dataset *data, Split split);

#endif
