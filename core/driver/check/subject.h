/* subject.h - a plugin on the bench: called as training calls it.

   At a small shape in which every width is another number, so that nothing
   fits by chance. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdbool.h>

#include <qkv/real.h>

#include "base/fail.h"
#include "variant/plugin.h"
#include "driver/check/checks.h"

/* A plugin at the small shape, its matrices as training starts them; a little
   random where they start as constants. */
typedef struct Subject {
    Plugin plugin;
    Attention attention;
    Weights weights;
    real **values, **gradients;
} Subject;

/* Opens the plugin; exits where it cannot be. */
Subject subject_open(const char *word);

/* The tokens of one call: `sequences` of them laid end to end, y NULL where
   they ask themselves. */
typedef struct Tokens {
    real *x, *y, *x_gradient, *y_gradient;
    int sequences, asking, asked; /* tokens of x and of y in a sequence */
    bool untrained;               /* x is data, as one-hot tokens are */
} Tokens;

/* Draws them; asked is 0 where x asks itself. */
Tokens tokens_drawn(const Subject *s, int sequences, int asking, int asked,
                    double size);

/* The output for `in`, (asking tokens x d_model), to be freed; with the
   gradients of tokens and matrices where `back`. Exits where it is not as wide
   as x. */
real *computed(Subject *s, const Tokens *in, bool back);

/* A way in which forward may be called. */
typedef struct Way {
    const char *what;
    int sequences, asking, asked, causal;
    double size; /* standard deviation of the tokens */
} Way;

enum { WAYS = 8 };
extern const Way ways[WAYS];

Finding finding(Verdict verdict, const char *format, ...) PRINTF(2, 3);

#endif
