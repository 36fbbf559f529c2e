/* tasks.h - all tasks: those of the heart, and the others. */
#ifndef TASKS_H
#define TASKS_H

#include "config/settings.h"
#include "heart/task.h"

/* What is known of a task besides what training needs. */
typedef struct KnownTask {
    const Task *task;
    const char *what;    /* in a line */
    const char *trivial; /* what one can do without learning it */

    /* The trivial baseline's answer at token t of a sequence; NULL where
       answers are numbers: then it answers 0. */
    int (*guess)(const Config *c, const Batch *e, int t);

    bool next; /* the answer at a token is the token after it */
} KnownTask;

extern const KnownTask tasks[];
extern const int task_count;

/* Exits (2) with the nearest name where there is none. */
const KnownTask *task_named(const char *name);

/* The settings that a task starts with; and those of the first task. */
Config task_start(const char *name);
Config config_start(void);

/* What is measured: "accuracy", or "R^2" where answers are numbers. */
const char *task_measure(const KnownTask *t);

/* Exits with what is wrong with the settings or the file. Sets
   c->file_hash. */
Dataset dataset_open(Config *c);

/* The id of the token that answer 0 is; 1 is the next one. */
int first_answer(const Dataset *data);

/* The trivial baselines: guessing evenly, and what one can do without learning
   the task (`trivial`), whose accuracy is measured by letting it answer. */
typedef struct Levels {
    double chance, trivial; /* accuracies of the two */
    double chance_loss;     /* nats */
    double bigram_loss;     /* of the trivial baseline of a text, else NaN */
} Levels;

/* Of a split: a file's parts differ, what is drawn does not. */
Levels dataset_levels(const Dataset *data, Split split);

#endif
