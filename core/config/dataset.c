/* dataset.c - batches of a task: training, validation and test apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/corpus.h"
#include "config/tasks.h"
#include "heart/fail.h"
#include "heart/numbers.h"

/* What is wrong with the settings of a task of these sizes; NULL if nothing. */
static const char *
contradiction(const Config *c, Sizes s)
{
    bool keys = index_in("recall mqar cross-recall", c->task) >= 0;
    bool subset = !strcmp(c->task, "subset");
    bool induction = !strcmp(c->task, "induction");
    return keys && c->length > c->symbols
               ? "its keys (length) cannot all differ: take more symbols or a "
                 "smaller length"
           : induction &&
                   (c->symbols < LONGEST_PERIOD || c->length <= LONGEST_PERIOD)
               ? "its pattern has up to 8 tokens: take at least 8 symbols and "
                 "a length of at least 9"
           : subset && c->members > c->length
               ? "an answer is the sum of more members than there are tokens: "
                 "take fewer, or a greater length"
           : *c->file && strcmp(c->task, "text") != 0
               ? "a file is for the task text"
           : s.source && c->cross == CROSS_NONE
               ? "it has a second sequence, and cross none leaves it unread: "
                 "take only or after"
           : !s.source && (c->cross != CROSS_NONE || c->encoder)
               ? "cross and encoder are for tasks of two sequences "
                 "(cross-recall, translate)"
               : NULL;
}

Dataset
dataset_open(Config *c)
{
    Dataset data = {.task = task_named(c->task)->task};
    data.sizes = data.task->sizes(c);
    const char *why = contradiction(c, data.sizes);
    if (why)
        usage("task %s: %s", c->task, why);
    if (data.task->read) {
        data.corpus = text_open(c->file, c->length);
        data.sizes.vocabulary = data.sizes.classes = data.corpus->names.count;
        c->file_hash = data.corpus->hash;
    }
    data.config = *c;
    matrix_entries(c->batch, data.sizes.tokens);
    return data;
}

/* The accuracy of the trivial baseline, over 16,000 tokens or so. */
static double
play(const Dataset *data)
{
    Random r = random_stream(0, "cheat");
    Batch b = batch_new(data->sizes, 1);
    int counted = 0, right = 0;
    const KnownTask *known = task_named(data->config.task);
    for (int tokens = 0; tokens < 16000; tokens += b.rows) {
        data->task->draw(&data->config, &r, &b);
        for (int t = 0; t < b.rows; t++) {
            int target = b.targets[t];
            counted += target >= 0;
            right +=
                target >= 0 && known->guess(&data->config, &b, t) == target;
        }
    }
    batch_free(&b);
    return (double)right / counted;
}

Levels
dataset_levels(const Dataset *data, Split split)
{
    Levels l = {.chance = 1. / data->sizes.classes,
                .chance_loss = logarithm(data->sizes.classes),
                .bigram_loss = NAN};
    if (data->corpus)
        corpus_levels(data->corpus, split, &l);
    else if (data->sizes.step == 0)
        l.trivial = play(data);
    else { /* R^2 and error of answering with the mean, 0 */
        l.chance = l.trivial = 0;
        l.chance_loss = 1;
    }
    return l;
}
