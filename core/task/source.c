/* source.c - batches of a task: training, validation and test apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "math/elementary.h"
#include "task/linear.h"
#include "task/pairs.h"
#include "task/task.h"
#include "task/text.h"

Batch
batch_new(Sizes s, int sequences)
{
    size_t rows = (size_t)sequences * (size_t)s.tokens, each = (size_t)s.each;
    size_t source = (size_t)sequences * (size_t)s.source;
    return (Batch){sequences,
                   (int)rows,
                   (int)source,
                   {allocate(rows * each, sizeof(int)),
                    allocate(rows, sizeof(int)),
                    source ? allocate(source * each, sizeof(int)) : NULL}};
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
                    e->targets + first * s.tokens, source}};
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
        usage("task %s has a second sequence, and --cross none leaves it "
              "unread: take only or after",
              c->task);
    if (*c->encoder_variant && !c->encoder)
        usage("--encoder-variant %s: there is no encoder; give --encoder too",
              c->encoder_variant);
    if (*c->cross_variant && c->cross == CROSS_NONE)
        usage("--cross-variant %s: there is no cross-attention; give --cross "
              "too, on a task of two sequences",
              c->cross_variant);
    if (!s.source && (c->cross != CROSS_NONE || c->encoder))
        usage("--cross and --encoder are for tasks of two sequences "
              "(cross-recall, translate), and %s has one",
              c->task);
}

Source
source_open(Config *c)
{
    Source s = {.task = task_named(c->task)};
    s.sizes = s.task->sizes(c);
    check_places(c, s.sizes);
    bool linear = !strcmp(c->task, "linear");
    if (!linear && (c->depth || *c->spectrum || c->power))
        usage("--depth, --spectrum and --loss are for the task linear, not for "
              "%s",
              c->task);
    if (strcmp(c->task, "subset") && c->members != 4)
        usage("--members is for the task subset, not for %s", c->task);
    if (!strcmp(c->task, "text")) {
        s.text =
            text_open(c->file, c->characters == CHARACTERS_BYTES, c->length);
        s.sizes.vocabulary = s.sizes.classes = s.text->vocabulary;
        c->file_hash = s.text->hash;
    } else if (!strcmp(c->task, "pairs")) {
        s.pairs = pairs_open(c->file);
        s.sizes.tokens = s.pairs->tokens;
        s.sizes.vocabulary = s.pairs->vocabulary;
        s.sizes.classes = s.pairs->classes;
        c->file_hash = s.pairs->hash;
    } else if (*c->file)
        usage("--file is for the tasks text and pairs, not for %s", c->task);
    if ((double)c->batch * s.sizes.tokens > 1e8)
        usage("--batch %d of %d tokens each is more than 100 million tokens: "
              "make it or --length smaller",
              c->batch, s.sizes.tokens);
    s.config = *c;
    return s;
}

void
source_close(Source *s)
{
    text_close(s->text);
    pairs_close(s->pairs);
}

double
source_bytes(const Source *s)
{
    const Pairs *p = s->pairs;
    return s->text ? text_bytes(s->text)
           : p     ? 2. * p->sequences * p->tokens * sizeof(int)
                   : 0;
}

Random
source_stream(const Source *s, Split split)
{
    static const char *const purpose[] = {"training", "validation", "test"};
    return random_stream((uint64_t)s->config.seed, purpose[split]);
}

/* Sequence `at` of a text's part: tokens `from` and on, each asking for the
   next one. */
static void
take_window(Text *t, int from, int tokens, int *ids, int *targets)
{
    for (int i = 0; i < tokens; i++) {
        ids[i] = text_token(t, from + i);
        targets[i] = text_token(t, from + i + 1);
    }
}

static int
draw_text(const Source *s, Split split, Random *r, int index, Batch *b)
{
    Text *t = s->text;
    int tokens = s->sizes.tokens, first = t->part[split];
    int last = t->part[split + 1] - tokens - 1; /* where a window may start */
    for (int i = 0; i < b->sequences; i++) {
        double windows = ((double)index * b->sequences + i) * tokens;
        int from = split == TRAINING
                       ? first + random_below(r, last - first + 1)
                       : (windows > last - first ? -1 : first + (int)windows);
        if (from < 0)
            return i;
        take_window(t, from, tokens, b->all.ids + i * tokens,
                    b->all.targets + i * tokens);
    }
    return b->sequences;
}

/* Lines of training at random, the others in order. */
static int
draw_pairs(const Source *s, Split split, Random *r, int index, Batch *b)
{
    const Pairs *p = s->pairs;
    int first = p->part[split], count = p->part[split + 1] - first;
    size_t bytes = (size_t)p->tokens * sizeof(int);
    for (int i = 0; i < b->sequences; i++) {
        double line = (double)index * b->sequences + i;
        if (split != TRAINING && line >= count)
            return i;
        int from = split == TRAINING ? random_below(r, count) : (int)line;
        memcpy(b->all.ids + i * p->tokens, p->ids + (first + from) * p->tokens,
               bytes);
        memcpy(b->all.targets + i * p->tokens,
               p->targets + (first + from) * p->tokens, bytes);
    }
    return b->sequences;
}

/* `rows` tokens that are there and say nothing. */
static void
blank(int *ids, int rows, int each)
{
    for (int i = 0; i < rows * each; i++)
        ids[i] = i % each ? -1 : 0;
}

int
source_draw(const Source *s, Split split, Random *r, int index, Batch *b)
{
    int tokens = s->sizes.tokens, each = s->sizes.each, filled = b->sequences;
    int most = split == VALIDATION ? s->config.validate : s->config.test;
    double before = (double)index * b->sequences;
    if (split != TRAINING && before + filled > most)
        filled = before < most ? (int)(most - before) : 0;
    if (!s->task->draw) {
        int there = !filled   ? 0
                    : s->text ? draw_text(s, split, r, index, b)
                              : draw_pairs(s, split, r, index, b);
        filled = there < filled ? there : filled;
    } else
        for (int i = 0; i < filled; i++) {
            Example e = batch_part(b, s->sizes, i, 1).all;
            s->task->draw(&s->config, r, &e);
        }
    if (filled < b->sequences) {
        Example e = batch_part(b, s->sizes, filled, 1).all;
        int left = b->sequences - filled;
        blank(e.ids, left * tokens, each);
        blank(e.source, left * s->sizes.source, each);
        for (int i = 0; i < left * tokens; i++)
            e.targets[i] = -1;
    }
    return filled;
}

/* Lets the cheat answer: its share of right ones, over 16,000 tokens or so. */
static double
play(const Source *s)
{
    Random r = random_stream(0, "cheat");
    Batch b = batch_new(s->sizes, 1);
    int tokens = s->sizes.tokens, counted = 0, right = 0;
    int *guesses = allocate((size_t)tokens, sizeof *guesses);
    for (int game = 0; game * tokens < 16000; game++) {
        s->task->draw(&s->config, &r, &b.all);
        s->task->guess(&s->config, &b.all, guesses);
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
source_levels(const Source *s)
{
    Levels l = {.chance = 1. / s->sizes.classes,
                .chance_loss = logarithm(s->sizes.classes),
                .unigram_loss = NAN,
                .bigram_loss = NAN};
    if (s->text) {
        int from = s->text->part[VALIDATION] + 1, to = s->text->part[TEST];
        Counting c = text_counting(s->text, from, to);
        l.unigram_loss = c.unigram_loss;
        l.bigram_loss = c.bigram_loss;
        l.cheat = c.bigram_accuracy;
    } else if (s->pairs)
        l.cheat = pairs_commonest(s->pairs, VALIDATION);
    else if (s->sizes.step == 0)
        l.cheat = play(s);
    else { /* R^2 and error of answering with the mean, 0 */
        l.chance = l.cheat = 0;
        l.chance_loss = s->config.depth ? 0 : 1;
        for (int i = 0; s->config.depth && i < s->sizes.tokens; i++) {
            double mode = linear_mode(&s->config, i), square = mode * mode;
            l.chance_loss +=
                s->config.power == LOSS_L4 ? square * square / 4 : square / 2;
        }
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
