/* task_draws.h - the tasks that task_fixed.c draws, for the table in task.c. */
#ifndef TASK_DRAWS_H
#define TASK_DRAWS_H

#include "task.h"

/* The symbol that stands most often among the first n. */
int commonest(const int *ids, int n);

/* length symbols, drawn evenly; an answer is one of them. */
Sizes plain_sizes(const Config *c);
void draw_symbols(const Config *c, Random *r, int *ids);

/* The commonest symbol, everywhere. */
void guess_commonest(const Config *c, const Example *e, int *guesses);

/* guesses[from .. to - 1] = value */
void fill(int *guesses, int from, int to, int value);

void draw_reverse(const Config *c, Random *r, Example *e);

Sizes sizes_copy(const Config *c);
void draw_copy(const Config *c, Random *r, Example *e);
void guess_copy(const Config *c, const Example *e, int *guesses);

void draw_sort(const Config *c, Random *r, Example *e);
void guess_sort(const Config *c, const Example *e, int *guesses);

void draw_permute(const Config *c, Random *r, Example *e);
void draw_shift(const Config *c, Random *r, Example *e);

Sizes sizes_sum(const Config *c);
void draw_sum(const Config *c, Random *r, Example *e);
void guess_sum(const Config *c, const Example *e, int *guesses);

Sizes sizes_subset(const Config *c);
void draw_subset(const Config *c, Random *r, Example *e);

#endif
