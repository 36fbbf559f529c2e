/* subject.h - a plugin under test, called as training calls it: at a small
   shape in which every width is a different number, so that nothing fits by
   chance. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdbool.h>

#include <qkv/real.h>

#include "config/find_plugin.h"
#include "config/settings.h"
#include "heart/fail.h"
#include "heart/tape.h"

typedef enum { PASSED, FAILED, UNTESTED } Verdict;

typedef struct Finding {
    Verdict verdict;
    char what[700]; /* what was found, and the likely mistake */
} Finding;

Finding finding(Verdict verdict, const char *format, ...) PRINTF(2, 3);
#define passed(...)   finding(PASSED, __VA_ARGS__)
#define failed(...)   finding(FAILED, __VA_ARGS__)
#define untested(...) finding(UNTESTED, __VA_ARGS__)

enum { AT_SIZE = 120 };

/* A plugin at a shape, its matrices initialised as in training; those that
   start as constants are a little random, unless `as_declared`. */
typedef struct Subject {
    Plugin plugin;
    Config config;
    Attention attention;
    Weights weights;
    real **values, **gradients;
    bool as_declared;
    char *at; /* where it says what is tried: AT_SIZE bytes */

    /* Calls work(more, answer) in a process of its own; false unless it ends
       well. Whoever runs the checks sets it. */
    bool (*apart)(void (*work)(const void *more, void *answer),
                  const void *more, void *answer, size_t size);
} Subject;

/* Opens the plugin at the small shape; exits where it cannot be. */
Subject subject_open(const char *word, char *at);

/* The same plugin at another shape, of which no number is the same. */
Subject subject_elsewhere(const Subject *s);

/* The same at another value of one shape option. */
Subject subject_changed(const Subject *s, const Setting *option);

/* Declares and draws its matrices anew, at s->attention. */
void subject_draw(Subject *s);

/* forward as a model calls it; in a later block, after the blocks before. */
Node *subject_forward(Subject *s, Node *x, Node *y, Node **w);

/* The number of entries of matrix i. */
int entries(const Subject *s, int i);

/* A way in which forward may be called: so many sequences of so many queries,
   and keys, 0 in self-attention. */
typedef struct Way {
    const char *what;
    int sequences, queries, keys;
    bool causal;
    double size; /* standard deviation of the tokens */
    int layer;
} Way;

enum { SECOND_BLOCK = 8, THIRD_BLOCK, WAYS };
extern const Way ways[WAYS];

/* Makes s->attention that of a way, unless w is NULL, and says it in s->at. */
void subject_case(Subject *s, const Way *w);

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

/* The output for `in`, one causal sequence, as a decoder computes it: a few
   tokens first, then one after the other; and how many numbers it keeps of
   each. */
real *decoded(Subject *s, const Tokens *in, int *kept);

/* A call on a measuring tape, to be freed: its nodes, which have no values. */
Tape *shapes_of(Subject *s, const Tokens *in);

/* Bytes that every call allocates and nobody frees, where the C library tells.
 */
long bytes_kept(Subject *s, const Tokens *in);

/* The ratio for which found is ratio * wanted, to 1e-5 of the largest entry;
   NaN if there is none, or it is 0. */
double ratio_of(const double *found, const double *wanted, int count);

#endif
