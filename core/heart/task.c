/* task.c - three tasks, each a way to draw a sequence and its answers; and
   batches of a task. */
#include <stdlib.h>

#include "heart/fail.h"
#include "heart/task.h"

Sizes
plain_sizes(const Config *c)
{
    return (Sizes){.tokens = c->length,
                   .each = 1,
                   .vocabulary = c->symbols,
                   .classes = c->symbols};
}

void
draw_symbols(const Config *c, Random *r, int *ids)
{
    for (int i = 0; i < c->length; i++)
        ids[i] = random_below(r, c->symbols);
}

/* sort: the digits in rising order */
static void
draw_sort(const Config *c, Random *r, Batch *e)
{
    int *ids = e->ids, *targets = e->targets;
    draw_symbols(c, r, ids);
    for (int i = 0; i < c->length; i++) {
        int j = i;
        for (; j > 0 && targets[j - 1] > ids[i]; j--)
            targets[j] = targets[j - 1];
        targets[j] = ids[i];
    }
}

const Task task_sort = {
    .name = "sort",
    .what = "the digits in rising order",
    .start = {USUAL, .task = "sort", .length = 8, .symbols = 10, .d_model = 32,
              .heads = 4, .layers = 1, .mlp = 4, .positions = POSITIONS_LEARNED,
              .residual = 1, .batch = 32, .steps = 600, .log_every = 10,
              .validate = 64},
    .sizes = plain_sizes,
    .draw = draw_sort};

/* recall: n tokens, each a key and a value; then the n keys in another order,
   each asking for its value. The position of a token tells nothing. */
Sizes
sizes_recall(const Config *c)
{
    if (c->length > c->symbols)
        usage("%d keys (length) of %d symbols cannot all differ: take more "
              "symbols or a smaller length",
              c->length, c->symbols);
    return (Sizes){.tokens = 2 * c->length,
                   .each = 2,
                   .vocabulary = c->symbols + c->values,
                   .classes = c->values,
                   .answer = c->symbols};
}

void
draw_distinct(Random *r, int *to, int stride, int n, int count)
{
    for (int i = 0, j; i < n; i++)
        do {
            to[i * stride] = random_below(r, count);
            for (j = 0; j < i && to[j * stride] != to[i * stride]; j++)
                ;
        } while (j < i);
}

/* n stored tokens, and queries for them in another order: as recall has them,
   with 2 ids each, or as mqar, with 1. */
void
draw_stored(const Config *c, Random *r, Batch *e)
{
    int *ids = e->ids, *targets = e->targets, each = e->each;
    int n = c->length, first = 2 * n / each; /* the token of the first query */
    int *keys = targets, *order = targets + n; /* lent until they are filled */
    draw_distinct(r, keys, 1, n, c->symbols);
    random_order(r, order, n);
    for (int i = 0; i < n; i++) {
        ids[2 * i] = keys[i];
        ids[2 * i + 1] = c->symbols + random_below(r, c->values);
    }
    for (int i = 0; i < n; i++) {
        ids[(first + i) * each] = keys[order[i]];
        if (each == 2)
            ids[(first + i) * each + 1] = -1;
        targets[first + i] = ids[2 * order[i] + 1] - c->symbols;
    }
    for (int i = 0; i < first; i++)
        targets[i] = -1;
}

const Task task_recall = {
    .name = "recall",
    .what = "key + value tokens, then keys: which value?",
    .start = {USUAL, .task = "recall", .length = 8, .symbols = 32,
              .d_model = 32, .heads = 4, .layers = 1, .residual = 1,
              .batch = 32, .steps = 300, .log_every = 10, .validate = 64},
    .sizes = sizes_recall,
    .draw = draw_stored};

/* induction: a pattern of distinct tokens, of a random period from 4 to 8, over
   and over; asked for is the next token, once one period is past. */
enum { SHORTEST = 4, LONGEST = 8 };

static Sizes
sizes_induction(const Config *c)
{
    if (c->symbols < LONGEST || c->length <= LONGEST)
        usage("task induction needs at least %d symbols and a length of "
              "at least %d, not %d and %d: the pattern has up to %d tokens",
              LONGEST, LONGEST + 1, c->symbols, c->length, LONGEST);
    return plain_sizes(c);
}

static void
draw_induction(const Config *c, Random *r, Batch *e)
{
    int *ids = e->ids, *targets = e->targets;
    int period = SHORTEST + random_below(r, LONGEST - SHORTEST + 1);
    draw_distinct(r, ids, 1, period, c->symbols);
    for (int i = period; i < c->length; i++)
        ids[i] = ids[i - period];
    for (int i = 0; i < c->length; i++)
        targets[i] = i < period ? -1 : ids[(i + 1) % period];
}

const Task task_induction = {
    .name = "induction",
    .what = "a pattern, repeated: what is the next token?",
    .next = true,
    .start = {USUAL, .task = "induction", .length = 24, .symbols = 16,
              .d_model = 32, .heads = 4, .layers = 2,
              .positions = POSITIONS_LEARNED, .residual = 1,
              .mask = MASK_CAUSAL, .batch = 32, .steps = 600, .log_every = 10,
              .validate = 64},
    .sizes = sizes_induction,
    .draw = draw_induction};

Batch
batch_new(Sizes s, int sequences)
{
    size_t rows = matrix_entries(sequences, s.tokens), each = (size_t)s.each;
    size_t source = matrix_entries(sequences, s.source);
    Batch b = {.tokens = s.tokens, .source_tokens = s.source, .each = s.each};
    b.ids = allocate(rows * each, sizeof(int));
    b.targets = allocate(rows, sizeof(int));
    b.source = source ? allocate(source * each, sizeof(int)) : NULL;
    return batch_part(&b, 0, sequences);
}

Batch
batch_part(const Batch *b, int first, int count)
{
    Batch part = *b;
    part.room = part.sequences = count;
    part.rows = count * b->tokens;
    part.source_rows = count * b->source_tokens;
    part.ids += first * b->tokens * b->each;
    part.targets += first * b->tokens;
    if (b->source)
        part.source += first * b->source_tokens * b->each;
    return part;
}

void
batch_free(Batch *b)
{
    free(b->ids);
    free(b->targets);
    free(b->source);
}

Random
dataset_stream(const Dataset *data, Split split)
{
    static const char *const purpose[] = {"training", "validation", "test"};
    return random_stream((uint64_t)data->config.seed, purpose[split]);
}

int
dataset_draw(const Dataset *data, Split split, Random *r, int index, Batch *b)
{
    const Config *c = &data->config;
    double before = split == TRAINING ? 0 : (double)index * b->room;
    double most = split == TRAINING     ? b->room
                  : split == VALIDATION ? c->validate
                                        : c->test;
    int filled = 0, room = b->room;
    for (; filled < room && before + filled < most; filled++) {
        Batch e = batch_part(b, filled, 1);
        if (!data->task->read)
            data->task->draw(c, r, &e);
        else if (!data->task->read(data, split, (int)before + filled, r, &e))
            break;
    }
    *b = batch_part(b, 0, filled);
    b->room = room;
    return filled;
}
