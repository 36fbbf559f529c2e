/* subject.h - a plugin under test, called as training calls it: at a small
   shape in which every width is a different number, so that nothing fits by
   chance. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <qkv/real.h>

#include "config/find_plugin.h"
#include "config/settings.h"
#include "heart/tape.h"

/* What is to be read of a check after its process has ended. */
typedef struct Found {
    bool untested;  /* there is nothing to check */
    char what[400]; /* if nothing is wrong */
    char at[160];   /* the shape and the tokens tried last */
    uint64_t hash;  /* of the outputs of call_all, the first of their process */
} Found;

/* A plugin at a shape, its matrices initialised as in training; those that
   start as constants are a little random, unless `as_declared`. */
typedef struct Subject {
    Plugin plugin;
    Config config;
    Attention attention;
    Weights weights;
    real **values, **gradients;
    bool as_declared;
    Found *found;
} Subject;

#define passed(s, ...) \
    snprintf((s)->found->what, sizeof(s)->found->what, __VA_ARGS__)

/* Opens the plugin at the small shape; exits where it cannot be. */
Subject subject_open(const char *word, Found *found);

/* The same plugin at another shape. No number of these two is the same, and d_k
   is even: queries and keys may be rotated, pair by pair. */
#define SMALL     "d-model=8 heads=4 kv-heads=2 d-k=6 d-v=5 latent=7"
#define ELSEWHERE "d-model=12 heads=3 kv-heads=1 d-k=2 d-v=7 latent=5"
Subject subject_at(Subject s, const char *shape);

/* The same at another value of one shape option. */
Subject subject_changed(const Subject *s, const Setting *option);

/* Declares and draws its matrices anew, at s->attention. */
void subject_draw(Subject *s);

/* The number of entries of matrix i. */
int entries(const Subject *s, int i);

/* A way in which forward may be called: so many sequences of so many queries,
   and keys, 0 in self-attention. */
typedef struct Way {
    int sequences, queries, keys;
    bool causal;
    int layer;
    double size;    /* standard deviation of the tokens */
    bool untrained; /* x is data, as one-hot tokens are */
} Way;

enum { SECOND_BLOCK = 8, WAYS = 11 };
extern const Way ways[WAYS];

/* The tokens of one call, sequence after sequence; y is NULL in self-attention.
 */
typedef struct Tokens {
    Subject *subject; /* that is called */
    Way way;
    real *x, *y, *gradient; /* that of y is behind that of x */
    int x_size;             /* entries of x */
    bool twice;             /* two calls on the same operands, added up */
} Tokens;

Tokens tokens_of(Subject *s, Way way);

/* Records a call: its operands, the matrices first, and forward as a model
   calls it; in a later block, after the blocks before. */
Node *record(Tape *t, void *tokens);

/* The output for `in`, of the shape of x; if `back`, the gradients of tokens
   and matrices too. Ends the process if they are not finite, or if an operator
   did not write just what it has to. */
real *computed(Tokens *in, bool back);

/* Computes outputs and gradients in all ways; a hash of all outputs. */
uint64_t call_all(Subject *s);

/* The output for `in`, one causal sequence, as a decoder computes it: a few
   tokens first, then one after the other; and how many numbers it keeps of
   each. */
real *decoded(Tokens *in, int *kept);

/* A call on a measuring tape: its nodes, which have no values. */
Tape *shapes_of(Tokens *in);

/* Bytes that every call allocates and nobody frees, where the C library tells.
 */
double bytes_kept(Tokens *in);

#endif
