/* task_fixed.c - tasks in which a token's place decides whom it must look at,
   and modular addition. */
#include <math.h>

#include "fail.h"
#include "task_draws.h"

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
