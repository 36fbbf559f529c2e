/* task.c - the tasks, each a way to draw a sequence and its answers.

   The settings named with each are those at which standard attention solves
   it; they are its defaults. */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "heart/numbers.h"
#include "task/task.h"

/* `tokens` tokens: the symbols, and one that separates, where there is one. An
   answer is a symbol. */
static Sizes
symbol_sizes(const Config *c, int tokens, int separators)
{
    return (Sizes){.tokens = tokens,
                   .each = 1,
                   .vocabulary = c->symbols + separators,
                   .classes = c->symbols};
}

/* length symbols, drawn evenly */
static Sizes
plain_sizes(const Config *c)
{
    return symbol_sizes(c, c->length, 0);
}

static void
draw_symbols(const Config *c, Random *r, int *ids)
{
    for (int i = 0; i < c->length; i++)
        ids[i] = random_below(r, c->symbols);
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
guess_everywhere(const Example *e, int *guesses, int answer)
{
    for (int t = 0; t < e->tokens; t++)
        guesses[t] = answer;
}

/* The commonest symbol of the sequence, or of its source. */
static void
guess_commonest(const Config *c, const Example *e, int *guesses)
{
    const int *ids = e->source ? e->source : e->ids;
    guess_everywhere(e, guesses, commonest(ids, c->length));
}

/* The first token: of a sum, as if all other numbers were 0. */
static void
guess_first(const Config *c, const Example *e, int *guesses)
{
    (void)c;
    guess_everywhere(e, guesses, e->ids[0]);
}

/* reverse: y_i = x_(n-1-i) */
static void
draw_reverse(const Config *c, Random *r, Example *e)
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
    return symbol_sizes(c, 2 * c->length, 1);
}

static void
draw_copy(const Config *c, Random *r, Example *e)
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

/* sort: the digits in rising order */
static void
draw_sort(const Config *c, Random *r, Example *e)
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

/* The digit that belongs at place t of n if they were spread evenly. */
static void
guess_sort(const Config *c, const Example *e, int *guesses)
{
    (void)e;
    for (int t = 0; t < c->length; t++)
        guesses[t] = (int)((t + 0.5) * c->symbols / c->length);
}

/* permute: y_i = x_p(i), with one fixed order p of the places for each length.
   It is kept in the targets until they are filled. */
static void
draw_permute(const Config *c, Random *r, Example *e)
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
draw_shift(const Config *c, Random *r, Example *e)
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
    return symbol_sizes(c, c->length + 1, 1);
}

static void
draw_sum(const Config *c, Random *r, Example *e)
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
draw_subset(const Config *c, Random *r, Example *e)
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

/* recall: n tokens, each a key and a value; then the n keys in another order,
   each asking for its value. The position of a token tells nothing. */
static Sizes
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

/* The first n of a random order of 0 .. count - 1, n <= count, `stride` apart.
 */
static void
draw_distinct(Random *r, int *to, int stride, int n, int count)
{
    for (int i = 0; i < n; i++) {
        int fresh;
        do {
            fresh = 1;
            to[i * stride] = random_below(r, count);
            for (int j = 0; j < i; j++)
                fresh &= to[j * stride] != to[i * stride];
        } while (!fresh);
    }
}

/* n stored tokens, and queries for them in another order: as recall has them,
   with 2 ids each, or as mqar, with 1. */
static void
draw_stored(const Config *c, Random *r, Example *e)
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

/* The value of some stored pair: another one for each query. */
static void
guess_stored(const Config *c, const Example *e, int *guesses)
{
    const int *pairs = e->source ? e->source : e->ids;
    for (int t = 0; t < e->tokens; t++)
        guesses[t] = pairs[2 * (t % c->length) + 1] - c->symbols;
}

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
draw_induction(const Config *c, Random *r, Example *e)
{
    int *ids = e->ids, *targets = e->targets;
    int period = SHORTEST + random_below(r, LONGEST - SHORTEST + 1);
    draw_distinct(r, ids, 1, period, c->symbols);
    for (int i = period; i < c->length; i++)
        ids[i] = ids[i - period];
    for (int i = 0; i < c->length; i++)
        targets[i] = i < period ? -1 : ids[(i + 1) % period];
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
draw_cross_recall(const Config *c, Random *r, Example *e)
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
    Sizes s = symbol_sizes(c, c->length, 1);
    s.source = c->length;
    return s;
}

static void
draw_translate(const Config *c, Random *r, Example *e)
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
static Sizes
sizes_text(const Config *c)
{
    return (Sizes){.tokens = c->length, .each = 1};
}

const Task tasks[] = {
    {"reverse", "digits backwards: y_i = x_(n-1-i)", "the commonest digit",
     "length=16 symbols=10 d-model=32 heads=4 layers=1 mlp=0 norm=none "
     "batch=32 lr=0.003 steps=300",
     plain_sizes, draw_reverse, guess_commonest, false},
    {"copy", "x SEP x, predict the second x", "the commonest digit",
     "length=8 symbols=10 mask=causal d-model=32 heads=4 layers=1 mlp=0 "
     "norm=none batch=32 lr=0.003 steps=300",
     sizes_copy, draw_copy, guess_commonest, true},
    {"shift", "the token after it: y_i = x_(i+1 mod n)", "the commonest digit",
     "length=16 symbols=10 residual=no d-model=32 heads=4 layers=1 mlp=0 "
     "norm=none batch=32 lr=0.003 steps=300",
     plain_sizes, draw_shift, guess_commonest, false},
    {"permute", "a fixed random order: y_i = x_p(i)", "the commonest digit",
     "length=32 symbols=10 residual=no d-model=64 heads=4 layers=1 mlp=0 "
     "norm=none batch=32 lr=0.003 steps=300",
     plain_sizes, draw_permute, guess_commonest, false},
    {"subset", "+1, -1: the sum over fixed places (a number)", "0 everywhere",
     "length=16 members=4 residual=no d-model=32 heads=4 layers=1 mlp=0 "
     "norm=none batch=16 lr=0.003 steps=1500 log-every=50",
     sizes_subset, draw_subset, NULL, false},
    {"modular-add", "numbers, =: their sum modulo p", "the first number",
     "length=2 symbols=13 d-model=32 heads=2 layers=1 mlp=4 norm=none "
     "batch=128 lr=0.003 steps=400",
     sizes_sum, draw_sum, guess_first, false},
    {"recall", "key + value tokens, then keys: which value?",
     "any stored value",
     "length=8 symbols=32 values=16 positions=none d-model=32 heads=4 "
     "layers=1 mlp=0 norm=none batch=32 lr=0.003 steps=300",
     sizes_recall, draw_stored, guess_stored, false},
    {"sort", "the digits in rising order", "the digit expected at its place",
     "length=8 symbols=10 d-model=32 heads=4 layers=1 mlp=4 norm=none "
     "batch=32 lr=0.003 steps=600",
     plain_sizes, draw_sort, guess_sort, false},
    {"induction", "a pattern, repeated: what is the next token?",
     "any token of the pattern",
     "length=24 symbols=16 mask=causal d-model=32 heads=4 layers=2 mlp=0 "
     "norm=none batch=32 lr=0.003 steps=600",
     sizes_induction, draw_induction, guess_first, true},
    {"mqar", "k v k v ..., then keys: which value?", "any stored value",
     "length=4 symbols=16 values=16 mask=causal d-model=32 heads=4 layers=2 "
     "mlp=0 norm=none batch=32 lr=0.003 steps=600",
     sizes_mqar, draw_stored, guess_stored, false},
    {"cross-recall", "the pairs in the source, keys ask: which value?",
     "any stored value",
     "length=8 symbols=32 values=16 positions=none cross=only d-model=32 "
     "heads=4 layers=1 mlp=0 norm=none batch=32 lr=0.003 steps=300",
     sizes_cross_recall, draw_cross_recall, guess_stored, false},
    {"translate", "the source's digits backwards, a token at a time",
     "the commonest digit of the source",
     "length=8 symbols=10 mask=causal encoder=1 cross=after d-model=32 "
     "heads=4 layers=1 mlp=0 norm=none batch=32 lr=0.003 steps=300",
     sizes_translate, draw_translate, guess_commonest, true},
    {"text", "the next character of a text file",
     "the likeliest character after the last one",
     "length=32 mask=causal d-model=32 heads=4 layers=2 mlp=4 norm=pre "
     "batch=32 lr=0.003 steps=1000 log-every=50 validate=1000",
     sizes_text, NULL, NULL, true},
    {"pairs", "the sequences of a file: input TAB target",
     "the commonest answer",
     "d-model=32 heads=4 layers=1 mlp=0 norm=none batch=32 lr=0.003 steps=600 "
     "validate=1000",
     sizes_text, NULL, NULL, false},
};
const int task_count = sizeof tasks / sizeof *tasks;

const Task *
task_named(const char *name)
{
    const char *names[sizeof tasks / sizeof *tasks];
    for (int i = 0; i < task_count; i++) {
        names[i] = tasks[i].name;
        if (!strcmp(name, tasks[i].name))
            return &tasks[i];
    }
    usage("unknown task \"%s\"%s: `qkv list --tasks` lists them", name,
          did_you_mean(name, names, task_count));
}

const char *
task_measure(const Task *t)
{
    return t->draw && !t->guess ? "R^2" : "accuracy";
}
