/* dataset.c - batches of a task: training, validation and test apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/numbers.h"
#include "task/corpus.h"
#include "task/task.h"

Batch
batch_new(Sizes s, int sequences)
{
    size_t rows = matrix_entries(sequences, s.tokens), each = (size_t)s.each;
    size_t source = matrix_entries(sequences, s.source);
    return (Batch){sequences,
                   (int)rows,
                   (int)source,
                   {allocate(rows * each, sizeof(int)),
                    allocate(rows, sizeof(int)),
                    source ? allocate(source * each, sizeof(int)) : NULL,
                    s.tokens, s.each}};
}

Batch
batch_part(const Batch *b, Sizes s, int first, int count)
{
    const Example *e = &b->all;
    int *source = e->source ? e->source + first * s.source * s.each : NULL;
    return (Batch){count,
                   count * s.tokens,
                   count * s.source,
                   {e->ids + first * s.tokens * s.each,
                    e->targets + first * s.tokens, source, s.tokens, s.each}};
}

void
batch_free(Batch *b)
{
    free(b->all.ids);
    free(b->all.targets);
    free(b->all.source);
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
    Dataset data = {.task = task_named(c->task), .config = *c};
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

Random
dataset_stream(const Dataset *data, Split split)
{
    static const char *const purpose[] = {"training", "validation", "test"};
    return random_stream((uint64_t)data->config.seed, purpose[split]);
}

/* Sequence `index` of a split, drawn from r or read from the file; false past
   the file's end. In training a file's are drawn too. */
static bool
draw_one(const Dataset *data, Split split, Random *r, int index, Example *e)
{
    Random *any = split == TRAINING ? r : NULL;
    if (data->corpus)
        return corpus_sequence(data->corpus, split, index, any, e->ids,
                               e->targets);
    data->task->draw(&data->config, r, e);
    return true;
}

/* `rows` tokens that are there and say nothing. */
static void
blank(int *ids, int rows, int each)
{
    for (int i = 0; i < rows * each; i++)
        ids[i] = i % each ? -1 : 0;
}

int
dataset_draw(const Dataset *data, Split split, Random *r, int index, Batch *b)
{
    const Sizes *s = &data->sizes;
    const Config *c = &data->config;
    double before = split == TRAINING ? 0 : (double)index * b->sequences;
    double most = split == TRAINING     ? b->sequences
                  : split == VALIDATION ? c->validate
                                        : c->test;
    int filled = 0, left;
    for (; filled < b->sequences && before + filled < most; filled++) {
        Example e = batch_part(b, *s, filled, 1).all;
        if (!draw_one(data, split, r, (int)before + filled, &e))
            break;
    }
    if ((left = b->sequences - filled) > 0) {
        Example e = batch_part(b, *s, filled, 1).all;
        blank(e.ids, left * s->tokens, s->each);
        blank(e.source, left * s->source, s->each);
        for (int i = 0; i < left * s->tokens; i++)
            e.targets[i] = -1;
    }
    return filled;
}

/* The accuracy of the trivial baseline, over 16,000 tokens or so. */
static double
play(const Dataset *data)
{
    Random r = random_stream(0, "cheat");
    Batch b = batch_new(data->sizes, 1);
    int tokens = data->sizes.tokens, counted = 0, right = 0;
    int *guesses = allocate((size_t)tokens, sizeof *guesses);
    for (int game = 0; game * tokens < 16000; game++) {
        data->task->draw(&data->config, &r, &b.all);
        data->task->guess(&data->config, &b.all, guesses);
        for (int t = 0; t < tokens; t++) {
            counted += b.all.targets[t] >= 0;
            right += b.all.targets[t] >= 0 && guesses[t] == b.all.targets[t];
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

int
sequences_within(Sizes sizes, int tokens, int most)
{
    int each = sizes.tokens > sizes.source ? sizes.tokens : sizes.source;
    int count = tokens / each > 1 ? tokens / each : 1;
    return count < most ? count : most;
}
