/* subject.h - a plugin under test, called as training calls it: in every block,
   and at some shapes with positions in its scores. The shapes are small, and
   the widths of a shape all differ, so that no product fits by chance. Nothing
   is freed, because each check has its own process. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <qkv/real.h>

#include "config/find_plugin.h"
#include "config/settings.h"
#include "heart/model.h"
#include "heart/tape.h"

/* A plugin is checked at SHAPES shapes, with up to LAYERS blocks: enough for a
   plugin that does something special in every sixth block to do it twice. LARGE
   is the number of one more shape, which is only for a single call. */
enum { SHAPES = 3, LARGE = SHAPES, LAYERS = 16 };

/* The numbers of the first shape and of the first block. A check that need not
   be repeated does its work only there. */
enum { FIRST_SHAPE = 0, FIRST_LAYER = 0 };

/* The result of a check. The parent process reads it after the check's process
   has ended. */
typedef struct Found {
    bool untested;  /* true if there was nothing to check */
    char what[400]; /* what was checked, if nothing is wrong */
    char at[200];   /* the shape and the tokens of the latest call */
    uint64_t hash;  /* what check_shapes got from call_all at the first shape */
} Found;

/* How a matrix is used in the blocks of a plugin. */
typedef struct Usage {
    bool in_first;       /* it gets a gradient in the first block */
    bool in_later;       /* it gets a gradient in a later block */
    bool above_rounding; /* in some block, its gradient is not only rounding */
} Usage;

/* A plugin at a shape. Its matrices have random values, with the mean and the
   standard deviation that the variant declares. Unless `as_declared` is true,
   the deviation is at least 0.1, so that no matrix is constant. */
typedef struct Subject {
    Plugin plugin;
    Config config;
    Attention attention;
    Weights weights;
    bool as_declared;
    int shape;             /* the number of the shape, from FIRST_SHAPE */
    uint64_t hash[LAYERS]; /* for each block, a hash of its outputs and
                              gradients */
    Usage *use;            /* for check_use: how each matrix was used in the
                              blocks so far */
    Found *found;
} Subject;

/* Writes what was checked to s->found, in the form of printf. A check calls it
   when nothing is wrong. Only the text of the first shape is written. */
#define passed(s, ...)                  \
    (void)((s)->shape != FIRST_SHAPE || \
           snprintf((s)->found->what, sizeof(s)->found->what, __VA_ARGS__))

/* Returns the text that suits the subject's author: `in_c` if the plugin is
   written in C, `in_equation` if it is an equation, NAME.eq. */
const char *advice(const Subject *s, const char *in_c, const char *in_equation);

/* A check. It ends its process if something is wrong. */
typedef void Check(Subject *s);

/* Opens the plugin, and runs a check at every shape that it takes, once for
   each block, whose number is s->attention.layer. Exits if the plugin cannot be
   opened. */
void check_everywhere(Check *check, const char *word, Found *found);

/* The subject s at the shape with that number. */
Subject subject_at(Subject s, int shape);

/* The subject with another value of `option`, which is a shape option or one of
   the variant's own settings. A shape option is doubled, or becomes 2 if it was
   0. An own setting, such as a window, becomes 1, or 2 if it was 1: at these
   shapes a larger window would make no difference. */
Subject subject_changed(const Subject *s, const Setting *option);

/* Lets the plugin declare its matrices for s->attention again, and gives them
   random values. */
void subject_draw(Subject *s);

/* Returns whether the plugin computes something in this block that it does not
   compute in any earlier block. Call this for each block, in order. */
bool new_in_layer(Subject *s);

/* The value of Way.keys in self-attention, in which keys are made from x. */
enum { NO_Y = 0 };

/* A way in which forward may be called. */
typedef struct Way {
    int sequences, queries; /* queries in each sequence */
    int keys;               /* keys in each sequence, or NO_Y */
    bool causal;
    double size;    /* the standard deviation of the tokens */
    bool x_is_data; /* x gets no gradient, as one-hot tokens do */
    double y_size;  /* the standard deviation of y, if it differs; else 0 */
} Way;

/* The first BASIC_WAYS are self-attention, cross-attention and causal
   attention, with two sequences each. The ways with many tokens reveal a plugin
   that attends only to a window of tokens. In the last two ways, one of x and y
   is large and the other is small. So the scores are moderate, and the softmax
   does not hide how large numbers are treated. */
enum { SELF_WAY, CROSS_WAY, CAUSAL_WAY, BASIC_WAYS, WAYS = 12 };
extern const Way ways[WAYS];

/* The tokens of one call, sequence after sequence. */
typedef struct Tokens {
    Subject *subject; /* its attention.layer is the block called */
    Way way;
    real *x, *y;      /* y follows x in memory; NULL in self-attention */
    real *gradient;   /* the gradient of x, followed by the gradient of y */
    int x_size, size; /* the entries of x, and of x and y together */
    bool twice;       /* true: forward is called twice, and the outputs are
                         added */
} Tokens;

/* Tokens for a way of calling, or for the nearest way that the variant allows
   (Variant.calls). */
Tokens tokens_of(Subject *s, Way way);

/* Records a call of forward on the tape: its operands, the matrices first, then
   forward of any earlier blocks, then forward itself. `tokens` is a Tokens.
   Returns the output. */
Node *record(Tape *t, void *tokens);

/* Returns the output for `in`, which has the shape of x. If `with_gradients` is
   true, also computes the gradients of the tokens (in->gradient) and of the
   matrices (in->subject->weights). Ends the process if a number is not finite,
   or if an operator writes too little, too much or into an operand. */
real *computed(Tokens *in, bool with_gradients);

/* Calls forward in all blocks and all ways, and returns a hash of all outputs
   and gradients. */
uint64_t call_all(Subject *s);

/* A causal model with all blocks of the subject, each with its own matrices,
   and a sequence of `tokens` random symbols, numbers below SYMBOLS, for it to
   read. From then on s->config describes this model, and messages name no
   tokens. */
enum { SYMBOLS = 11 };
typedef struct Stack {
    Model *model;
    Batch batch;
} Stack;
Stack stack_of(Subject *s, int tokens);

/* Records a call on a tape with SHAPES_ONLY, whose nodes have no values. */
Tape *shapes_of(Tokens *in);

#endif
