/* subject.h - a plugin on the bench: called as training calls it.

   At a small shape in which every width is another number, so that nothing
   fits by chance. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdbool.h>

#include <qkv/real.h>

#include "variant/plugin.h"
#include "driver/check/checks.h"

/* A plugin at a shape, its matrices as training starts them; a little random
   where they start as constants. */
typedef struct Subject {
    Plugin plugin;
    Attention attention;
    Weights weights;
    real **values, **gradients;
} Subject;

/* Opens the plugin at the small shape; exits where it cannot be. */
Subject subject_open(const char *word);

/* Declares and draws its matrices anew, at s->attention. */
void subject_draw(Subject *s);

/* How many numbers matrix i has. */
int entries(const Subject *s, int i);

/* A way in which forward may be called: so many sequences of so many queries,
   and keys, 0 in self-attention. */
typedef struct Way {
    const char *what;
    int sequences, queries, keys;
    bool causal;
    double size; /* standard deviation of the tokens */
} Way;

enum { WAYS = 8 };
extern const Way ways[WAYS];

/* The tokens of one call, sequence after sequence; y is NULL in self-attention.
 */
typedef struct Tokens {
    Way way;
    real *x, *y, *x_gradient, *y_gradient;
    int x_size;     /* numbers in x */
    bool untrained; /* x is data, as one-hot tokens are */
} Tokens;

Tokens tokens_of(const Subject *s, Way way);

/* The output for `in`, as large as x, to be freed; with the gradients of tokens
   and matrices where `back`. */
real *computed(Subject *s, const Tokens *in, bool back);

/* The factor that brings `wanted` nearest to `found`; and is found = factor
   wanted, all of it? */
double factor_between(const double *found, const double *wanted, int count);
bool proportional(const double *found, const double *wanted, int count,
                  double factor);

#endif
