/* tasks.c - the other tasks, each a way to draw a sequence and its answers.

   The settings named with each are those at which standard attention solves
   it; they are its defaults. */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "config/corpus.h"
#include "config/tasks.h"
#include "heart/fail.h"
#include "heart/numbers.h"

/* `tokens` tokens: the symbols, and one that separates them. An answer is a
   symbol. */
static Sizes
separated_sizes(const Config *c, int tokens)
{
    Sizes s = plain_sizes(c);
    s.tokens = tokens;
    s.vocabulary++;
    return s;
}

/* The commonest symbol among the first n. */
static int
commonest(const int *ids, int n)
{
    int best = ids[0], most = 0;
    for (int i = 0; i < n; i++) {
        int count = 0;
        for (int j = 0; j < n; j++)
            count += ids[j] == ids[i];
        if (count > most) {
            most = count;
            best = ids[i];
        }
    }
    return best;
}

static void
guess_everywhere(const Batch *e, int *guesses, int answer)
{
    for (int t = 0; t < e->tokens; t++)
        guesses[t] = answer;
}

/* The commonest symbol of the sequence, or of its source. */
static void
guess_commonest(const Config *c, const Batch *e, int *guesses)
{
    const int *ids = e->source ? e->source : e->ids;
    guess_everywhere(e, guesses, commonest(ids, c->length));
}

/* The first token: of a sum, as if all other numbers were 0. */
static void
guess_first(const Config *c, const Batch *e, int *guesses)
{
    (void)c;
    guess_everywhere(e, guesses, e->ids[0]);
}

/* reverse: y_i = x_(n-1-i) */
static void
draw_reverse(const Config *c, Random *r, Batch *e)
{
    int *ids = e->ids, *targets = e->targets;
    draw_symbols(c, r, ids);
    for (int i = 0; i < c->length; i++)
        targets[i] = ids[c->length - 1 - i];
}

/* copy: x SEP x, where each token of the second x is to be predicted. The
   last one is an answer only, so there are 2n tokens. */
static Sizes
sizes_copy(const Config *c)
{
    return separated_sizes(c, 2 * c->length);
}

static void
draw_copy(const Config *c, Random *r, Batch *e)
{
    int *ids = e->ids, *targets = e->targets;
    int n = c->length;
    draw_symbols(c, r, ids);
    ids[n] = c->symbols;
    for (int i = 0; i < n; i++) {
        targets[i] = -1;
        targets[n + i] = ids[i];
        if (i < n - 1)
            ids[n + 1 + i] = ids[i];
    }
}

/* The digit that belongs at place t of n if they were spread evenly. */
static void
guess_sort(const Config *c, const Batch *e, int *guesses)
{
    (void)e;
    for (int t = 0; t < c->length; t++)
        guesses[t] = (int)((t + 0.5) * c->symbols / c->length);
}

/* permute: y_i = x_p(i), with one fixed order p of the places for each length.
   It is kept in the targets until they are filled. */
static void
draw_permute(const Config *c, Random *r, Batch *e)
{
    Random fixed = random_stream(0, "permute");
    draw_symbols(c, r, e->ids);
    random_order(&fixed, e->targets, c->length);
    for (int i = 0; i < c->length; i++)
        e->targets[i] = e->ids[e->targets[i]];
}

/* shift: y_i = x_(i+1 mod n). The matrix of "who looks at whom" is as far from
   symmetric as it can be. */
static void
draw_shift(const Config *c, Random *r, Batch *e)
{
    draw_symbols(c, r, e->ids);
    for (int i = 0; i < c->length; i++)
        e->targets[i] = e->ids[(i + 1) % c->length];
}

/* modular-add: x_1 ... x_n =, where the answer at the last token is the sum
   of the numbers modulo p = symbols. */
static Sizes
sizes_sum(const Config *c)
{
    return separated_sizes(c, c->length + 1);
}

static void
draw_sum(const Config *c, Random *r, Batch *e)
{
    int n = c->length, sum = 0;
    draw_symbols(c, r, e->ids);
    e->ids[n] = c->symbols;
    for (int i = 0; i < n; i++) {
        e->targets[i] = -1;
        sum = (sum + e->ids[i]) % c->symbols;
    }
    e->targets[n] = sum;
}

/* subset: tokens are +1 and -1; token i must return the sum over its set S_i of
   m = members places, fixed and drawn at random, divided by sqrt(m). Attention
   can do that only where its scores have rank enough to give each token its
   own set: the rank figure. The answer is kept as how many of them are +1,
   k; as a number it is (2k - m) / sqrt(m), of mean 0 and variance 1. */
static Sizes
sizes_subset(const Config *c)
{
    if (c->members > c->length)
        usage(
            "an answer is the sum of %d members, and a sequence has %d tokens: "
            "take fewer members or a greater length",
            c->members, c->length);
    double root = sqrt(c->members);
    return (Sizes){.tokens = c->length,
                   .each = 1,
                   .vocabulary = 2,
                   .classes = 1,
                   .first = -root,
                   .step = 2 / root};
}

static void
draw_subset(const Config *c, Random *r, Batch *e)
{
    Random fixed = random_stream(0, "subset");
    int n = c->length;
    for (int i = 0; i < n; i++)
        e->ids[i] = random_below(r, 2);
    for (int i = 0; i < n; i++) {
        int wanted = c->members;
        e->targets[i] = 0;
        /* each place with the chance that makes all sets of m equally likely */
        for (int j = 0; j < n; j++)
            if (random_below(&fixed, n - j) < wanted) {
                e->targets[i] += e->ids[j];
                wanted--;
            }
    }
}

/* The value of some stored pair: another one for each query. */
static void
guess_stored(const Config *c, const Batch *e, int *guesses)
{
    const int *pairs = e->source ? e->source : e->ids;
    for (int t = 0; t < e->tokens; t++)
        guesses[t] = pairs[2 * (t % c->length) + 1] - c->symbols;
}

/* mqar: n keys, each followed by its value; then the keys in another order,
   each asking for its value. Multi-query associative recall, after Zoology
   (Arora et al. 2023), section 3. */
static Sizes
sizes_mqar(const Config *c)
{
    Sizes s = sizes_recall(c);
    s.tokens = 3 * c->length;
    s.each = 1;
    return s;
}

/* cross-recall: recall as cross-attention. The pairs are in the source, and
   --queries of its keys ask for their values. */
static Sizes
sizes_cross_recall(const Config *c)
{
    Sizes s = sizes_recall(c);
    if (c->queries > c->length)
        usage("%d queries of %d stored keys (length): ask for as many at most",
              c->queries, c->length);
    s.source = c->length;
    s.tokens = c->queries ? c->queries : c->length;
    return s;
}

static void
draw_cross_recall(const Config *c, Random *r, Batch *e)
{
    int n = c->length;
    draw_distinct(r, e->source, 2, n, c->symbols);
    for (int i = 0; i < n; i++)
        e->source[2 * i + 1] = c->symbols + random_below(r, c->values);
    for (int i = 0; i < e->tokens; i++) {
        int at = random_below(r, n);
        e->ids[2 * i] = e->source[2 * at];
        e->ids[2 * i + 1] = -1;
        e->targets[i] = e->source[2 * at + 1] - c->symbols;
    }
}

/* translate: the source backwards, a token at a time: SEP y_1 y_2 ... are to
   predict y_1 y_2 y_3 ... as a translation is trained. */
static Sizes
sizes_translate(const Config *c)
{
    Sizes s = separated_sizes(c, c->length);
    s.source = c->length;
    return s;
}

static void
draw_translate(const Config *c, Random *r, Batch *e)
{
    draw_symbols(c, r, e->source);
    e->ids[0] = c->symbols;
    for (int i = 0; i < c->length; i++) {
        e->targets[i] = e->source[c->length - 1 - i];
        if (i < c->length - 1)
            e->ids[i + 1] = e->targets[i];
    }
}

/* text: the next character; pairs: a user's own. Their sizes and draws need the
   file: dataset.c has them. */
static bool
read_corpus(const Dataset *data, Split split, int index, Random *r, Batch *e)
{
    return corpus_sequence(data->corpus, split, index,
                           split == TRAINING ? r : NULL, e->ids, e->targets);
}

static Sizes
sizes_text(const Config *c)
{
    return (Sizes){.tokens = c->length, .each = 1};
}

static const Task task_reverse = {
    .name = "reverse",
    .what = "digits backwards: y_i = x_(n-1-i)",
    .start = {USUAL, .task = "reverse", .length = 16, .symbols = 10,
              .d_model = 32, .heads = 4, .layers = 1,
              .positions = POSITIONS_LEARNED, .residual = 1, .batch = 32,
              .steps = 300, .log_every = 10, .validate = 64},
    .sizes = plain_sizes,
    .draw = draw_reverse};

static const Task task_copy = {
    .name = "copy",
    .what = "x SEP x, predict the second x",
    .start = {USUAL, .task = "copy", .length = 8, .symbols = 10, .d_model = 32,
              .heads = 4, .layers = 1, .positions = POSITIONS_LEARNED,
              .residual = 1, .mask = MASK_CAUSAL, .batch = 32, .steps = 300,
              .log_every = 10, .validate = 64},
    .sizes = sizes_copy,
    .draw = draw_copy,
    .next = true};

static const Task task_shift = {
    .name = "shift",
    .what = "the token after it: y_i = x_(i+1 mod n)",
    .start = {USUAL, .task = "shift", .length = 16, .symbols = 10,
              .d_model = 32, .heads = 4, .layers = 1,
              .positions = POSITIONS_LEARNED, .batch = 32, .steps = 300,
              .log_every = 10, .validate = 64},
    .sizes = plain_sizes,
    .draw = draw_shift};

static const Task task_permute = {
    .name = "permute",
    .what = "a fixed random order: y_i = x_p(i)",
    .start = {USUAL, .task = "permute", .length = 32, .symbols = 10,
              .d_model = 64, .heads = 4, .layers = 1,
              .positions = POSITIONS_LEARNED, .batch = 32, .steps = 300,
              .log_every = 10, .validate = 64},
    .sizes = plain_sizes,
    .draw = draw_permute};

static const Task task_subset = {
    .name = "subset",
    .what = "+1, -1: the sum over fixed places (a number)",
    .start = {USUAL, .task = "subset", .length = 16, .symbols = 10,
              .d_model = 32, .heads = 4, .layers = 1,
              .positions = POSITIONS_LEARNED, .batch = 16, .steps = 1500,
              .log_every = 50, .validate = 64},
    .sizes = sizes_subset,
    .draw = draw_subset};

static const Task task_modular_add = {
    .name = "modular-add",
    .what = "numbers, =: their sum modulo p",
    .start = {USUAL, .task = "modular-add", .length = 2, .symbols = 13,
              .d_model = 32, .heads = 2, .layers = 1, .mlp = 4,
              .positions = POSITIONS_LEARNED, .residual = 1, .batch = 128,
              .steps = 400, .log_every = 10, .validate = 64},
    .sizes = sizes_sum,
    .draw = draw_sum};

static const Task task_mqar = {
    .name = "mqar",
    .what = "k v k v ..., then keys: which value?",
    .start = {USUAL, .task = "mqar", .length = 4, .symbols = 16, .d_model = 32,
              .heads = 4, .layers = 2, .positions = POSITIONS_LEARNED,
              .residual = 1, .mask = MASK_CAUSAL, .batch = 32, .steps = 600,
              .log_every = 10, .validate = 64},
    .sizes = sizes_mqar,
    .draw = draw_stored};

static const Task task_cross_recall = {
    .name = "cross-recall",
    .what = "the pairs in the source, keys ask: which value?",
    .start = {USUAL, .task = "cross-recall", .length = 8, .symbols = 32,
              .d_model = 32, .heads = 4, .layers = 1, .residual = 1,
              .batch = 32, .steps = 300, .log_every = 10, .validate = 64,
              .cross = CROSS_ONLY},
    .sizes = sizes_cross_recall,
    .draw = draw_cross_recall};

static const Task task_translate = {
    .name = "translate",
    .what = "the source's digits backwards, a token at a time",
    .start = {USUAL, .task = "translate", .length = 8, .symbols = 10,
              .d_model = 32, .heads = 4, .layers = 1,
              .positions = POSITIONS_LEARNED, .residual = 1,
              .mask = MASK_CAUSAL, .batch = 32, .steps = 300, .log_every = 10,
              .validate = 64, .cross = CROSS_AFTER, .encoder = 1},
    .sizes = sizes_translate,
    .draw = draw_translate,
    .next = true};

static const Task task_text = {
    .name = "text",
    .what = "the next character of a text file",
    .start = {USUAL, .task = "text", .length = 32, .symbols = 10, .d_model = 32,
              .heads = 4, .layers = 2, .mlp = 4, .norm = NORM_PRE,
              .positions = POSITIONS_LEARNED, .residual = 1,
              .mask = MASK_CAUSAL, .batch = 32, .steps = 1000, .log_every = 50,
              .validate = 1000},
    .sizes = sizes_text,
    .read = read_corpus,
    .next = true};

static const Task task_pairs = {
    .name = "pairs",
    .what = "the sequences of a file: input TAB target",
    .start = {USUAL, .task = "pairs", .length = 16, .symbols = 10,
              .d_model = 32, .heads = 4, .layers = 1,
              .positions = POSITIONS_LEARNED, .residual = 1, .batch = 32,
              .steps = 600, .log_every = 10, .validate = 1000},
    .sizes = sizes_text,
    .read = read_corpus};

const KnownTask tasks[] = {
    {&task_reverse, "the commonest digit", guess_commonest},
    {&task_copy, "the commonest digit", guess_commonest},
    {&task_shift, "the commonest digit", guess_commonest},
    {&task_permute, "the commonest digit", guess_commonest},
    {&task_subset, "0 everywhere", NULL},
    {&task_modular_add, "the first number", guess_first},
    {&task_recall, "any stored value", guess_stored},
    {&task_sort, "the digit expected at its place", guess_sort},
    {&task_induction, "any token of the pattern", guess_first},
    {&task_mqar, "any stored value", guess_stored},
    {&task_cross_recall, "any stored value", guess_stored},
    {&task_translate, "the commonest digit of the source", guess_commonest},
    {&task_text, "the likeliest character after the last one", NULL},
    {&task_pairs, "the commonest answer", NULL},
};
const int task_count = sizeof tasks / sizeof *tasks;

const KnownTask *
task_named(const char *name)
{
    const char *names[sizeof tasks / sizeof *tasks];
    for (int i = 0; i < task_count; i++) {
        names[i] = tasks[i].task->name;
        if (!strcmp(name, names[i]))
            return &tasks[i];
    }
    usage("unknown task \"%s\"%s: `qkv list --tasks` lists them", name,
          did_you_mean(name, names, task_count));
}

Config
task_start(const char *name)
{
    Config c = task_named(name)->task->start;
    config_complete(&c);
    return c;
}

Config
config_start(void)
{
    return task_start(tasks[0].task->name);
}

const char *
task_measure(const KnownTask *t)
{
    return t->task->draw && !t->guess ? "R^2" : "accuracy";
}
