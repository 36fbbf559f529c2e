/* subject.h - a plugin under test, called as training calls it: at a small
   shape in which every width is a different number, so that nothing fits by
   chance. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdbool.h>

#include <qkv/real.h>

#include "variant/plugin.h"
#include "driver/check/checks.h"

/* A plugin at a shape, its matrices initialised as in training; those that
   start as constants are a little random. */
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

/* The number of entries of matrix i. */
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
    int x_size;     /* entries of x */
    bool untrained; /* x is data, as one-hot tokens are */
} Tokens;

Tokens tokens_of(const Subject *s, Way way);

/* The output for `in`, of the shape of x; if `back`, the gradients of tokens
   and matrices too. */
real *computed(Subject *s, const Tokens *in, bool back);

/* The factor for which factor * wanted is nearest to found; and are the two
   equal, to 1e-5 of the largest entry? */
double factor_between(const double *found, const double *wanted, int count);
bool proportional(const double *found, const double *wanted, int count,
                  double factor);

#endif
