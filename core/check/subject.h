/* subject.h - a plugin under test, called as training calls it: at small
   shapes in which every width is a different number, so that nothing fits by
   chance, in every block, and with positions in its scores. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <qkv/real.h>

#include "config/find_plugin.h"
#include "config/settings.h"
#include "heart/model.h"
#include "heart/tape.h"

/* The shapes at which a plugin is tried; a plugin that does something in every
   sixth block does it in one of LAYERS. LARGE is the number of one more shape,
   for a single call. */
enum { SHAPES = 3, LARGE = SHAPES, LAYERS = 16 };

/* What is to be read of a check after its process has ended. */
typedef struct Found {
    bool untested;  /* there is nothing to check */
    char what[400]; /* if nothing is wrong */
    char at[200];   /* the shape and the tokens tried last */
    uint64_t hash;  /* of call_all, the first in the process of check_shapes */
} Found;

/* A plugin at a shape, its matrices initialised as in training; those that
   start as constants are a little random, unless `as_declared`. */
typedef struct Subject {
    Plugin plugin;
    Config config;
    Attention attention;
    Weights weights;
    bool as_declared;
    int shape;             /* the number of the shape */
    uint64_t hash[LAYERS]; /* of outputs and gradients in a block: call_all */
    Found *found;
} Subject;

/* Says so of a check, at the first shape. */
#define passed(s, ...)   \
    (void)((s)->shape || \
           snprintf((s)->found->what, sizeof(s)->found->what, __VA_ARGS__))

/* A check: ends its process if something is wrong. */
typedef void Check(Subject *s);

/* Opens the plugin, and runs a check at every shape that it takes, in every
   block, which is s->attention.layer. Exits if the plugin cannot be opened. */
void check_everywhere(Check *check, const char *word, Found *found);

/* The subject at the shape of that number. */
Subject subject_at(Subject s, int shape);

/* The same at another value of one shape option, or of one of the variant's
   own: a large window would be seen nowhere here, so that is 1, or 2. */
Subject subject_changed(const Subject *s, const Setting *option);

/* Declares and draws its matrices anew, at s->attention. */
void subject_draw(Subject *s);

/* The number of entries of matrix i. */
int entries(const Subject *s, int i);

/* Does the plugin compute in this block what it computes in none before? To be
   asked in each block in turn. */
bool new_in_layer(Subject *s);

/* A way in which forward may be called: so many sequences of so many queries,
   and keys, 0 in self-attention. */
typedef struct Way {
    int sequences, queries, keys;
    bool causal;
    double size;    /* standard deviation of the tokens */
    bool untrained; /* x is data, as one-hot tokens are */
    double y_size;  /* that of y, if it is another one; else 0 */
} Way;

/* A window shows where there are many tokens, and one to both sides where there
   is no mask. Where one side is large and the other small, scores are neither,
   so a softmax hides nothing of what happens to large numbers. */
enum { WAYS = 12 };
extern const Way ways[WAYS];

/* The tokens of one call, sequence after sequence; y is NULL in self-attention.
 */
typedef struct Tokens {
    Subject *subject; /* that is called, in its block */
    Way way;
    real *x, *y, *gradient; /* that of y is behind that of x */
    int x_size, size;       /* entries of x; of x and y */
    bool twice;             /* two calls on the same operands, added up */
} Tokens;

/* In a way that the variant is for (Variant.calls): the one given, or the
   nearest to it. */
Tokens tokens_of(Subject *s, Way way);

/* Records a call: its operands, the matrices first, and forward as a model
   calls it; in a later block, after the blocks before it. */
Node *record(Tape *t, void *tokens);

/* The output for `in`, of the shape of x; if `back`, the gradients of tokens
   and matrices too. Ends the process if they are not finite, or if an operator
   did not write exactly what it has to. */
real *computed(Tokens *in, bool back);

/* Computes outputs and gradients in all ways and blocks: a hash of them all. */
uint64_t call_all(Subject *s);

/* A causal model of all blocks, each with its own matrices, and a sequence for
   it to read. Forgets the tokens that were tried last. */
enum { SYMBOLS = 11 };
typedef struct Stack {
    Model *model;
    Batch batch;
} Stack;
Stack stack_of(Subject *s, int tokens);

/* A call on a measuring tape: its nodes, which have no values. */
Tape *shapes_of(Tokens *in);

#endif
