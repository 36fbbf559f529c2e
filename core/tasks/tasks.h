/* tasks.h - all tasks: the heart's three (heart/task.c) and six others
   (tasks.c). A new task needs a row in the table of tasks.c, and its name among
   the users of the settings that it reads (config/settings.c) and, if its
   tokens are keys and values, in has_keys. The losses are cross_entropy
   (heart/embedding_and_loss.h) and, if answers are numbers, number_loss
   (training/architectures.h). */
#ifndef TASKS_H
#define TASKS_H

#include "config/settings.h"
#include "heart/task.h"

/* A task, with the facts about it that training does not need. Its trivial
   baseline is a guess that needs no attention. */
typedef struct KnownTask {
    const Task *task;
    const char *what;    /* a description of one line */
    const char *trivial; /* the answer of the trivial baseline, in words */

    /* Sets guesses[t] to the trivial baseline's answer at each token t of the
       one sequence in b. NULL if answers are numbers, because the baseline then
       answers 0. NULL also for a text, whose baseline is in corpus.h. */
    void (*guess)(const Config *c, const Batch *b, int *guesses);

    bool answer_is_next_token; /* whether each token's answer is the token after
                                  it */
} KnownTask;

extern const KnownTask tasks[];
extern const int task_count;

/* The task of this name. If there is none, suggests the nearest name and exits
   with status 2. */
const KnownTask *task_named(const char *name);

/* The default settings of a task. */
Config task_start(const char *name);

/* The default settings of the first task in the table. */
Config config_start(void);

/* The name of the task's measure: "accuracy", or "R^2" if answers are numbers.
 */
const char *task_measure(const KnownTask *t);

/* The dataset of the task c->task with the settings of c. If the task reads a
   file, reads the file and sets c->file_hash. Exits if the settings or the file
   do not fit the task. */
Dataset dataset_open(Config *c);

/* The id of answer 0, as a token. Answer k has this id + k. */
int first_answer(const Dataset *data);

/* The results of two baselines. `chance` gives all answers the same
   probability; KnownTask.trivial describes `trivial`. If answers are numbers,
   both always answer 0; accuracies are R^2, and losses mean squared errors. */
typedef struct Baselines {
    double chance, trivial; /* the accuracies of both */
    double chance_loss;     /* in nats per token, unless answers are numbers */
    double bigram_loss; /* the loss of a text's trivial baseline; NaN for other
                           tasks */
} Baselines;

/* The results of the baselines on a split. Only for a text do they depend on
   the split. */
Baselines dataset_baselines(const Dataset *data, Split split);

#endif
