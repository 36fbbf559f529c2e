/* tasks.c - the tasks outside the heart, each a way to draw a sequence and its
   answers; then the datasets and the baselines of all tasks.

   The table in the middle has a row for each task, with its default settings.
   With these, standard attention solves every task except `text`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heart/embedding_and_loss.h"
#include "heart/fail.h"
#include "heart/numbers.h"
#include "tasks/corpus.h"
#include "tasks/tasks.h"

/* If the initializer of a task repeats a field of USUAL, the last value counts.
 */
#pragma GCC diagnostic ignored "-Woverride-init"

/* The target of a token without an answer, and the id of a missing value
   (heart/task.h). */
enum { NO_ANSWER = -1, NO_VALUE = -1 };

/* The places of the key and the value in a pair, which is two ids, and the
   number of these ids. Key k has the id k, and value k the id c->symbols + k.
 */
enum { KEY, VALUE, PAIR };

/* The seed of random numbers that are the same in all runs. */
enum { FIXED_SEED = 0 };

/* A trivial baseline: answers every token with the commonest symbol of the
   source (the second sequence), or of the sequence if there is no source. If
   several symbols are equally common, it takes the one that occurs first. */
static void
guess_commonest(const Config *c, const Batch *b, int *guesses)
{
    const int *ids = b->source_tokens ? b->source : b->ids;
    int commonest = 0, most = 0;
    for (int i = 0; i < c->length; i++) {
        int count = 0;
        for (int j = 0; j < c->length; j++)
            count += ids[j] == ids[i];
        if (count > most) {
            commonest = ids[i];
            most = count;
        }
    }
    for (int t = 0; t < b->rows; t++)
        guesses[t] = commonest;
}

/* reverse: y_i = x_(n-1-i) */
static void
draw_reverse(const Config *c, Random *r, Batch *b)
{
    int *ids = b->ids, *targets = b->targets;
    draw_symbols(c, r, ids);
    for (int i = 0; i < c->length; i++)
        targets[i] = ids[c->length - 1 - i];
}

/* subset: tokens are +1 and -1. The answer at token i is the sum of the tokens
   at m = c->members places, divided by sqrt(m). Each token has its own set of
   places, drawn at random but the same in all sequences. So attention needs
   scores of high rank, which the recipe `rank` shows. The target is k, the
   number of the m places that hold +1. It stands for the answer
   (2k - m) / sqrt(m), which has mean 0 and variance 1. */
enum { MINUS_ONE, PLUS_ONE, SIGNS }; /* the ids, and their number */

static Sizes
sizes_subset(const Config *c)
{
    double root = sqrt(c->members);
    return (Sizes){.tokens = c->length,
                   .each = 1, /* a token has one id */
                   .vocabulary = SIGNS,
                   .classes = 1,      /* one output of the model: a number */
                   .first = -root,    /* the answer for k = 0 */
                   .step = 2 / root}; /* what each k adds */
}

/* `fixed` begins anew with each sequence, so that it draws the same places. */
static void
draw_subset(const Config *c, Random *r, Batch *b)
{
    Random fixed = random_stream(FIXED_SEED, "subset");
    int n = c->length;
    for (int i = 0; i < n; i++)
        b->ids[i] = random_below(r, SIGNS);
    for (int i = 0; i < n; i++) {
        int wanted = c->members; /* places still to choose */
        b->targets[i] = 0;
        /* Place j is chosen with probability wanted / (n - j). Then all sets of
           m places are equally likely. */
        for (int j = 0; j < n; j++)
            if (random_below(&fixed, n - j) < wanted) {
                b->targets[i] += b->ids[j] == PLUS_ONE;
                wanted--;
            }
    }
}

/* A trivial baseline: answers token t with the value of pair number t, modulo
   the number of pairs, whatever the keys are. */
static void
guess_stored(const Config *c, const Batch *b, int *guesses)
{
    const int *pairs = b->source_tokens ? b->source : b->ids;
    for (int t = 0; t < b->rows; t++) {
        const int *pair = pairs + PAIR * (t % c->length);
        guesses[t] = pair[VALUE] - c->symbols;
    }
}

/* mqar, multi-query associative recall, after Zoology (Arora et al. 2023),
   section 3: n keys, each followed by its value; then the keys again in another
   order, each a query whose answer is its value. */
static Sizes
sizes_mqar(const Config *c)
{
    Sizes s = recall_sizes(c);
    s.tokens = PAIR * c->length + c->length; /* the pairs and the queries */
    s.each = 1;                              /* a token is a key or a value */
    return s;
}

/* The tokens of the pairs come first, and have no answers; then the queries. */
static void
draw_mqar(const Config *c, Random *r, Batch *b)
{
    int n = c->length, *pairs = b->ids, *queries = b->ids + PAIR * n;
    int *answers = b->targets + PAIR * n;
    /* The numbers of the pairs in the order of the queries are kept where their
       answers will be: order[i] is read before answers[i] overwrites it. */
    int *order = answers;
    draw_pairs(c, r, pairs, order);
    for (int i = 0; i < n; i++) {
        const int *pair = pairs + PAIR * order[i];
        queries[i] = pair[KEY];
        answers[i] = pair[VALUE] - c->symbols;
    }
    for (int t = 0; t < PAIR * n; t++) /* the tokens of the pairs */
        b->targets[t] = NO_ANSWER;
}

/* cross-recall: recall by cross-attention. Each token of the source is a pair
   of a key and its value. Each token of the sequence is one of these keys, and
   its answer is the key's value. The setting `queries` is the number of tokens,
   or 0 to have as many tokens as pairs. */
static Sizes
sizes_cross_recall(const Config *c)
{
    Sizes s = recall_sizes(c);
    s.source = c->length;
    s.tokens = c->queries ? c->queries : c->length;
    return s;
}

static void
draw_cross_recall(const Config *c, Random *r, Batch *b)
{
    int n = c->length;
    /* The keys are drawn into the second half of the source. Pair i then
       overwrites only keys up to i. */
    int *keys = b->source + n;
    draw_distinct(r, keys, n, c->symbols);
    for (int i = 0; i < n; i++) {
        b->source[PAIR * i + KEY] = keys[i];
        b->source[PAIR * i + VALUE] = c->symbols + random_below(r, c->values);
    }
    for (int i = 0; i < b->tokens; i++) {
        const int *pair = b->source + PAIR * random_below(r, n);
        b->ids[PAIR * i + KEY] = pair[KEY];
        b->ids[PAIR * i + VALUE] = NO_VALUE; /* it is the answer */
        b->targets[i] = pair[VALUE] - c->symbols;
    }
}

/* translate: the answers are the source y backwards. As in the training of a
   translator, each token is the previous token's answer. The tokens are START
   y_n y_(n-1) ..., and their answers y_n y_(n-1) y_(n-2) ... The id of START
   follows the ids of the symbols. */
static Sizes
sizes_translate(const Config *c)
{
    Sizes s = plain_sizes(c);
    s.vocabulary++; /* for START */
    s.source = c->length;
    return s;
}

static void
draw_translate(const Config *c, Random *r, Batch *b)
{
    const int start = c->symbols; /* the id of START */
    draw_symbols(c, r, b->source);
    for (int i = 0; i < c->length; i++) {
        b->targets[i] = b->source[c->length - 1 - i];
        b->ids[i] = i == 0 ? start : b->targets[i - 1];
    }
}

/* clang-format off */
const KnownTask tasks[] = {
    {.task = &(const Task){.name = "reverse", .sizes = plain_sizes, .draw = draw_reverse,
        .start = {USUAL, .length = 16}},
     .what = "digits backwards: y_i = x_(n-1-i)", .trivial = "the commonest digit", .guess = guess_commonest},
    {.task = &(const Task){.name = "subset", .sizes = sizes_subset, .draw = draw_subset,
        .start = {USUAL, .length = 16, .batch = 16, .steps = 1500, .log_every = 50, .residual = 0}},
     .what = "+1, -1: the sum over fixed places (a number)", .trivial = "0 everywhere"},
    {.task = &heart_tasks[RECALL],
     .what = "key + value tokens, then keys: which value?", .trivial = "any stored value", .guess = guess_stored},
    {.task = &heart_tasks[SORT],
     .what = "the digits in rising order", .trivial = "the commonest digit", .guess = guess_commonest},
    {.task = &heart_tasks[INDUCTION],
     .what = "a pattern, repeated: what is the next token?", .trivial = "any token of the pattern", .guess = guess_commonest, .answer_is_next_token = true},
    {.task = &(const Task){.name = "mqar", .sizes = sizes_mqar, .draw = draw_mqar,
        .start = {USUAL, .length = 4, .symbols = 16, .layers = 2, .mask = MASK_CAUSAL, .steps = 600}},
     .what = "k v k v ..., then keys: which value?", .trivial = "any stored value", .guess = guess_stored},
    {.task = &(const Task){.name = "cross-recall", .sizes = sizes_cross_recall, .draw = draw_cross_recall,
        .start = {USUAL, .length = 8, .symbols = 32, .cross = CROSS_ONLY, .positions = POSITIONS_NONE}},
     .what = "the pairs in the source, keys ask: which value?", .trivial = "any stored value", .guess = guess_stored},
    {.task = &(const Task){.name = "translate", .sizes = sizes_translate, .draw = draw_translate,
        .start = {USUAL, .length = 8, .mask = MASK_CAUSAL, .cross = CROSS_AFTER, .encoder = 1}},
     .what = "the source's digits backwards, a token at a time", .trivial = "the commonest digit of the source", .guess = guess_commonest, .answer_is_next_token = true},
    /* dataset_open takes the number of classes from the file. */
    {.task = &(const Task){.name = "text", .sizes = plain_sizes, .read = corpus_read,
        .start = {USUAL, .length = 32, .layers = 2, .mlp = 4, .norm = NORM_PRE, .mask = MASK_CAUSAL,
                  .steps = 1000, .log_every = 50, .validate = 1000}},
     .what = "the next character of a text file", .trivial = "the likeliest character after the last one", .answer_is_next_token = true},
};
/* clang-format on */
const int task_count = sizeof tasks / sizeof *tasks;

const KnownTask *
task_named(const char *name)
{
    Values known = {0};
    for (int i = 0; i < task_count; i++) {
        if (!strcmp(name, tasks[i].task->name))
            return &tasks[i];
        values_add(&known, copy_text(tasks[i].task->name));
    }
    usage("unknown task \"%s\":%s `qkv list --tasks` lists all tasks", name,
          suggestion(name, &known));
}

Config
task_start(const char *name)
{
    const Task *t = task_named(name)->task;
    Config c = t->start;
    c.task = t->name;
    c.precision = sizeof(real) == sizeof(double);
    config_intern(&c);
    return c;
}

Config
config_start(void)
{
    return task_start(tasks[0].task->name);
}

/* Returns whether the sequences of this task consist of keys and values (see
   PAIR for their ids). */
static bool
has_keys(const char *task)
{
    return index_in("recall mqar cross-recall", task) >= 0;
}

int
first_answer(const Dataset *data)
{
    return has_keys(data->task->name) ? data->config.symbols : 0;
}

const char *
task_measure(const KnownTask *t)
{
    /* A text has no `guess` either, and its answers are characters. */
    bool answers_are_numbers = !t->task->read && !t->guess;
    return answers_are_numbers ? "R^2" : "accuracy";
}

/* Returns why the settings of c contradict its task, which has these sizes, and
   what to do about it; NULL if they do not. */
static const char *
contradiction(const Config *c, Sizes s)
{
    if (has_keys(c->task) && c->length > c->symbols)
        return "length is greater than symbols, but each key needs its own "
               "symbol: choose a smaller length or more symbols";
    if (!strcmp(c->task, "induction") &&
        (c->symbols < LONGEST_PERIOD || c->length <= LONGEST_PERIOD))
        return format_text("its pattern has up to %d different tokens: choose "
                           "at least %d symbols and a length of at least %d",
                           LONGEST_PERIOD, LONGEST_PERIOD, LONGEST_PERIOD + 1);
    if (!strcmp(c->task, "subset") && c->members > c->length)
        return "members is greater than length, but an answer sums that many "
               "different tokens: choose fewer members or a larger length";
    if (*c->file && strcmp(c->task, "text") != 0)
        return "it reads no file: leave out file, or choose the task text";
    if (s.source && c->cross == CROSS_NONE)
        return "cross none would ignore its second sequence: set cross to only "
               "or after";
    if (!s.source && (c->cross != CROSS_NONE || c->encoder))
        return "it has no second sequence for cross or encoder: leave them "
               "out, or choose the task cross-recall or translate";
    return NULL;
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
        data.corpus = corpus_open(c->file, c->length);
        data.sizes.vocabulary = data.sizes.classes = data.corpus->names.count;
        c->file_hash = data.corpus->hash;
    }
    data.config = *c;
    /* Exits if a batch has more tokens than an int can count. */
    matrix_entries(c->batch, data.sizes.tokens);
    return data;
}

/* The accuracy of the task's trivial baseline (KnownTask.guess), measured on
   sequences with MEASURED tokens or a few more. */
static double
trivial_accuracy(const Dataset *data)
{
    enum { MEASURED = 16000 };
    const int one_sequence = 1;
    /* The stream keeps its old name, so that old results stay the same. */
    Random r = random_stream(FIXED_SEED, "cheat");
    Batch b = batch_new(data->sizes, one_sequence);
    int *guesses = allocate((size_t)b.rows, sizeof *guesses);
    int counted = 0, right = 0;
    const KnownTask *known = task_named(data->config.task);
    for (int tokens = 0; tokens < MEASURED; tokens += b.rows) {
        data->task->draw(&data->config, &r, &b);
        known->guess(&data->config, &b, guesses);
        counted += counted_rows(b.targets, b.rows);
        for (int t = 0; t < b.rows; t++) /* a guess is never NO_ANSWER */
            right += guesses[t] == b.targets[t];
    }
    free(guesses);
    batch_free(&b);
    return (double)right / counted;
}

Baselines
dataset_baselines(const Dataset *data, Split split)
{
    bool answers_are_classes = data->sizes.step == 0; /* see Sizes */
    Baselines b = {.chance = 1. / data->sizes.classes,
                   .chance_loss = logarithm(data->sizes.classes),
                   .bigram_loss = NAN};
    if (data->corpus) {
        PairBaseline pairs = pair_baseline(data->corpus, split);
        b.trivial = pairs.accuracy;
        b.bigram_loss = pairs.loss;
    } else if (answers_are_classes)
        b.trivial = trivial_accuracy(data);
    else { /* Answers have mean 0 and variance 1, so always answering 0 has an
              R^2 of 0 and a mean squared error of 1. */
        b.chance = b.trivial = 0;
        b.chance_loss = 1;
    }
    return b;
}
