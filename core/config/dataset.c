/* dataset.c - batches of a task: training, validation and test apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/corpus.h"
#include "config/tasks.h"
#include "heart/fail.h"
#include "heart/numbers.h"

/* What a task could not be drawn from. */
static void
check_length(const Config *c)
{
    if (index_in("recall mqar cross-recall", c->task) >= 0 &&
        c->length > c->symbols)
        usage("%d keys (length) of %d symbols cannot all differ: take more "
              "symbols or a smaller length",
              c->length, c->symbols);
    if (!strcmp(c->task, "induction") &&
        (c->symbols < LONGEST_PERIOD || c->length <= LONGEST_PERIOD))
        usage("task induction needs at least %d symbols and a length of "
              "at least %d, not %d and %d: the pattern has up to %d tokens",
              LONGEST_PERIOD, LONGEST_PERIOD + 1, c->symbols, c->length,
              LONGEST_PERIOD);
}

/* Which attentions a task of one sequence, or of two, can have. */
static void
check_places(const Config *c, Sizes s)
{
    if (s.source && c->cross == CROSS_NONE)
        usage("task %s has a second sequence, and cross none leaves it "
              "unread: take only or after",
              c->task);
    if (*c->encoder_variant && !c->encoder)
        usage(
            "encoder-variant %s: there is no encoder; give it blocks (encoder)",
            c->encoder_variant);
    if (*c->cross_variant && c->cross == CROSS_NONE)
        usage("cross-variant %s: there is no cross-attention; set cross "
              "too, on a task of two sequences",
              c->cross_variant);
    if (!s.source && (c->cross != CROSS_NONE || c->encoder))
        usage("cross and encoder are for tasks of two sequences "
              "(cross-recall, translate), and %s has one",
              c->task);
}

Dataset
dataset_of(const Config *c, Corpus *corpus)
{
    Dataset data = {.task = task_named(c->task)->task, .config = *c};
    check_length(c);
    data.sizes = data.task->sizes(c);
    check_places(c, data.sizes);
    if (strcmp(c->task, "subset") && c->members != 4)
        usage("members are for the task subset, not for %s", c->task);
    if (*c->file && index_in("text pairs", c->task) < 0)
        usage("a file is for the tasks text and pairs, not for %s", c->task);
    data.corpus = corpus;
    if (corpus) {
        data.sizes.tokens = corpus->tokens;
        data.sizes.vocabulary = corpus->vocabulary;
        data.sizes.classes = corpus->classes;
    }
    return data;
}

Dataset
dataset_open(Config *c)
{
    Dataset data = dataset_of(c, NULL); /* before any file is read */
    Corpus *corpus = NULL;
    if (!strcmp(c->task, "text"))
        corpus =
            text_open(c->file, c->characters == CHARACTERS_BYTES, c->length);
    else if (!strcmp(c->task, "pairs"))
        corpus = pairs_open(c->file);
    c->file_hash = corpus ? corpus->hash : c->file_hash;
    data = dataset_of(c, corpus);
    matrix_entries(c->batch, data.sizes.tokens);
    return data;
}

void
dataset_close(Dataset *data)
{
    corpus_close(data->corpus);
}

/* The accuracy of the trivial baseline, over 16,000 tokens or so. */
static double
play(const Dataset *data)
{
    Random r = random_stream(0, "cheat");
    Batch b = batch_new(data->sizes, 1);
    int tokens = data->sizes.tokens, counted = 0, right = 0;
    int *guesses = allocate((size_t)tokens, sizeof *guesses);
    const KnownTask *known = task_named(data->config.task);
    for (int game = 0; game * tokens < 16000; game++) {
        data->task->draw(&data->config, &r, &b);
        known->guess(&data->config, &b, guesses);
        for (int t = 0; t < tokens; t++) {
            counted += b.targets[t] >= 0;
            right += b.targets[t] >= 0 && guesses[t] == b.targets[t];
        }
    }
    free(guesses);
    batch_free(&b);
    return (double)right / counted;
}

Levels
dataset_levels(const Dataset *data, Split split)
{
    Levels l = {.chance = 1. / data->sizes.classes,
                .chance_loss = logarithm(data->sizes.classes),
                .unigram_loss = NAN,
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
