/* task.c - three tasks, each a way to draw a sequence and its answers; and the
   batches that are drawn from a task. */

#include "heart/fail.h"
#include "heart/task.h"

/* A task lists USUAL and then some of the same fields again: the last counts.
 */
#pragma GCC diagnostic ignored "-Woverride-init"

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

/* A number that repeats an earlier one is drawn again: i moves on only when
   to[i] is new. */
void
draw_distinct(Random *r, int *to, int n, int count)
{
    int i = 0;
    while (i < n) {
        to[i] = random_below(r, count);
        int first = 0; /* the first index with this number */
        while (to[first] != to[i])
            first++;
        if (first == i)
            i++;
    }
}

/* sort: the answers are the symbols of the sequence in rising order. */
static void
draw_sort(const Config *c, Random *r, Batch *b)
{
    int sorted = 0;
    draw_symbols(c, r, b->ids);
    for (int symbol = 0; symbol < c->symbols; symbol++)
        for (int i = 0; i < c->length; i++)
            if (b->ids[i] == symbol)
                b->targets[sorted++] = symbol;
}

/* recall: n tokens, each a pair of a key and a value; then the n keys in
   another order. The answer to each of these keys is its value. The ids of
   values follow the ids of keys. */
Sizes
recall_sizes(const Config *c)
{
    return (Sizes){.tokens = 2 * c->length,
                   .each = 2,
                   .vocabulary = c->symbols + c->values,
                   .classes = c->values};
}

void
draw_pairs(const Config *c, Random *r, int *ids, int *order)
{
    int n = c->length;
    int *keys = order; /* its memory holds the keys until `order` is drawn */
    draw_distinct(r, keys, n, c->symbols);
    for (int i = 0; i < n; i++)
        ids[2 * i] = keys[i]; /* a copy, before `order` overwrites it */
    random_order(r, order, n);
    for (int i = 0; i < n; i++)
        ids[2 * i + 1] = c->symbols + random_below(r, c->values);
}

/* The first n tokens are the pairs, which have no answers; the other n are the
   queries, each a key without a value. */
static void
draw_recall(const Config *c, Random *r, Batch *b)
{
    int n = c->length, *pairs = b->ids, *queries = b->ids + 2 * n;
    int *answers = b->targets + n;
    int *order = answers; /* order[i] is read before answers[i] overwrites it */
    draw_pairs(c, r, pairs, order);
    for (int i = 0; i < n; i++) {
        const int *pair = pairs + 2 * order[i];
        queries[2 * i] = pair[0];
        queries[2 * i + 1] = -1;
        answers[i] = pair[1] - c->symbols;
        b->targets[i] = -1;
    }
}

/* induction: a pattern of 4 to 8 distinct symbols is repeated. The answer to a
   token is the symbol after it. In the first period no token has an answer. */
static void
draw_induction(const Config *c, Random *r, Batch *b)
{
    int longer = random_below(r, LONGEST_PERIOD - SHORTEST_PERIOD + 1);
    int period = SHORTEST_PERIOD + longer;
    draw_distinct(r, b->ids, period, c->symbols);
    for (int i = 0; i < c->length; i++) {
        b->ids[i] = b->ids[i % period];
        b->targets[i] = i < period ? -1 : b->ids[(i + 1) % period];
    }
}

const Task heart_tasks[HEART_TASKS] = {
    {.name = "recall",
     .start = {USUAL, .length = 8, .symbols = 32, .positions = POSITIONS_NONE},
     .sizes = recall_sizes,
     .draw = draw_recall},
    {.name = "induction",
     .start = {USUAL, .length = 24, .symbols = 16, .layers = 2,
               .mask = MASK_CAUSAL, .steps = 600},
     .sizes = plain_sizes,
     .draw = draw_induction},
    {.name = "sort",
     .start = {USUAL, .length = 8, .mlp = 4, .steps = 600},
     .sizes = plain_sizes,
     .draw = draw_sort},
};

/* One allocation holds ids, targets and source, in this order. */
Batch
batch_new(Sizes s, int sequences)
{
    size_t rows = matrix_entries(sequences, s.tokens), each = (size_t)s.each;
    size_t source = matrix_entries(sequences, s.source);
    Batch b = {.tokens = s.tokens, .source_tokens = s.source, .each = s.each};
    b.capacity = sequences;
    b.ids = allocate(rows * (each + 1) + source * each, sizeof(int));
    b.targets = b.ids + rows * each;
    b.source = b.targets + rows;
    return batch_part(&b, 0, sequences);
}

Batch
batch_part(const Batch *b, int first, int count)
{
    Batch part = *b;
    part.sequences = count;
    part.rows = count * b->tokens;
    part.source_rows = count * b->source_tokens;
    part.ids += first * b->tokens * b->each;
    part.targets += first * b->tokens;
    part.source += first * b->source_tokens * b->each;
    return part;
}

void
batch_free(Batch *b)
{
    free(b->ids);
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
    const Task *t = data->task;
    int n = 0; /* sequences drawn so far */
    /* The number of sequences of each split. Training has no end: each of its
       batches is drawn as if it were the only one. */
    const int size[] = {b->capacity, data->config.validate, data->config.test};
    long first = split == TRAINING ? 0 : (long)index * b->capacity;
    while (n < b->capacity && first + n < size[split]) {
        Batch one = batch_part(b, n, 1);
        if (t->draw)
            t->draw(&data->config, r, &one);
        else if (!t->read(data, split, (int)first + n, r, &one))
            break;
        n++;
    }
    *b = batch_part(b, 0, n);
    return n;
}
