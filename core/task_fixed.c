/* task_fixed.c - tasks in which a token's place decides whom it must look at,
   and those of order and sums. */
#include <math.h>

#include "fail.h"
#include "task_draws.h"

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

int
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

void
fill(int *guesses, int from, int to, int value)
{
    for (int t = from; t < to; t++)
        guesses[t] = value;
}

void
guess_commonest(const Config *c, const Example *e, int *guesses)
{
    const int *ids = e->ids;
    fill(guesses, 0, c->length, commonest(ids, c->length));
}

/* reverse: y_i = x_(n-1-i) */
void
draw_reverse(const Config *c, Random *r, Example *e)
{
    int *ids = e->ids, *targets = e->targets;
    draw_symbols(c, r, ids);
    for (int i = 0; i < c->length; i++)
        targets[i] = ids[c->length - 1 - i];
}

/* copy: x SEP x, where each token of the second x is to be foretold. The last
   one is an answer only, so there are 2n tokens. */
Sizes
sizes_copy(const Config *c)
{
    return (Sizes){.tokens = 2 * c->length,
                   .each = 1,
                   .vocabulary = c->symbols + 1,
                   .classes = c->symbols};
}

void
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

void
guess_copy(const Config *c, const Example *e, int *guesses)
{
    const int *ids = e->ids;
    fill(guesses, c->length, 2 * c->length, commonest(ids, c->length));
}

/* sort: the digits in rising order */
void
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
void
guess_sort(const Config *c, const Example *e, int *guesses)
{
    (void)e;
    for (int t = 0; t < c->length; t++)
        guesses[t] = (int)((t + 0.5) * c->symbols / c->length);
}

/* permute: y_i = x_p(i), with one fixed order p of the places for each length.
   It lies in the targets until they are filled. */
void
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
void
draw_shift(const Config *c, Random *r, Example *e)
{
    draw_symbols(c, r, e->ids);
    for (int i = 0; i < c->length; i++)
        e->targets[i] = e->ids[(i + 1) % c->length];
}

/* modular-add: x_1 ... x_n =, where the last token is asked for the sum of the
   numbers modulo p = symbols. */
Sizes
sizes_sum(const Config *c)
{
    return (Sizes){.tokens = c->length + 1,
                   .each = 1,
                   .vocabulary = c->symbols + 1,
                   .classes = c->symbols};
}

void
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

/* The first number: as if all others were 0. */
void
guess_sum(const Config *c, const Example *e, int *guesses)
{
    guesses[c->length] = e->ids[0];
}

/* subset: tokens are +1 and -1; token i must return the sum over its set S_i of
   m = members places, fixed and drawn at random, divided by sqrt(m). Attention
   can do that only where its scores have rank enough to give each token a set
   of its own: the rank figure. The answer is kept as how many of them are +1,
   k; as a number it is (2k - m) / sqrt(m), of mean 0 and variance 1. */
Sizes
sizes_subset(const Config *c)
{
    if (c->members > c->length)
        usage("--members %d of --length %d tokens: take fewer members",
              c->members, c->length);
    double root = sqrt(c->members);
    return (Sizes){.tokens = c->length,
                   .each = 1,
                   .vocabulary = 2,
                   .classes = 1,
                   .first = -root,
                   .step = 2 / root};
}

void
draw_subset(const Config *c, Random *r, Example *e)
{
    Random fixed = random_stream(0, "subset");
    int n = c->length;
    for (int i = 0; i < n; i++)
        e->ids[i] = random_below(r, 2);
    for (int i = 0; i < n; i++) {
        int wanted = c->members;
        e->targets[i] = 0;
        /* each place with the chance that leaves all sets of m alike */
        for (int j = 0; j < n; j++)
            if (random_below(&fixed, n - j) < wanted) {
                e->targets[i] += e->ids[j];
                wanted--;
            }
    }
}
