/* subject.h - a plugin under test, called as training calls it: in every block,
   and with positions in its scores. The shapes are small, and every width is a
   different number, so that no product fits by chance. Memory is freed when the
   process of a check ends. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <qkv/real.h>

#include "config/find_plugin.h"
#include "config/settings.h"
#include "heart/model.h"
#include "heart/tape.h"

/* How many shapes a plugin is tried at. LARGE is an additional shape, for a
   single call. With LAYERS blocks, a plugin that does something special in
   every sixth block does it at least twice. */
enum { SHAPES = 3, LARGE = SHAPES, LAYERS = 16 };

/* What is done only once is done in the first block, at the first shape. */
enum { FIRST_SHAPE = 0, FIRST_LAYER = 0 };

/* The result of a check, which is read after its process has ended. */
typedef struct Found {
    bool untested;  /* there is nothing to check */
    char what[400]; /* what was checked, if nothing is wrong */
    char at[200];   /* the shape and the tokens of the latest call */
    uint64_t hash;  /* hash of the first shape, which call_all returned in
                       check_shapes */
} Found;

/* Whether a matrix gets a gradient in the first block, and in a later block;
   and whether that gradient is more than rounding in any block. */
typedef struct Usage {
    bool in_first, in_later, above_rounding;
} Usage;

/* A plugin at a shape. Its matrices are initialised as the variant declares,
   except that, unless `as_declared`, constant ones are made a little random. */
typedef struct Subject {
    Plugin plugin;
    Config config;
    Attention attention;
    Weights weights;
    bool as_declared;
    int shape;             /* the number of the shape, from FIRST_SHAPE */
    uint64_t hash[LAYERS]; /* for each block, a hash of its outputs and
                              gradients */
    Usage *use;            /* how each matrix was used in the blocks so far, for
                              check_use */
    Found *found;
} Subject;

/* Writes what was checked, if nothing is wrong. Only the first shape writes. */
#define passed(s, ...)                  \
    (void)((s)->shape != FIRST_SHAPE || \
           snprintf((s)->found->what, sizeof(s)->found->what, __VA_ARGS__))

/* Returns the advice for the subject's author: `in_c` if the plugin is written
   in C, `in_equation` if it is an equation, NAME.eq. */
const char *advice(const Subject *s, const char *in_c, const char *in_equation);

/* A check: ends its process if something is wrong. */
typedef void Check(Subject *s);

/* Opens the plugin, and runs a check at every shape that it takes, once for
   each block, whose number is s->attention.layer. Exits if the plugin cannot be
   opened. */
void check_everywhere(Check *check, const char *word, Found *found);

/* Makes the subject at the shape with that number. */
Subject subject_at(Subject s, int shape);

/* The subject with another value of one shape option or of one of the variant's
   own settings. A shape option is doubled. An own setting becomes 1, or 2 if it
   was 1: a larger window would make no difference at these shapes. */
Subject subject_changed(const Subject *s, const Setting *option);

/* Declares the matrices anew, for s->attention, and gives them random values.
 */
void subject_draw(Subject *s);

/* The number of entries of matrix i. */
int entries(const Subject *s, int i);

/* Returns whether the plugin computes something in this block that it does not
   compute in any earlier block. Call this for each block, in order. */
bool new_in_layer(Subject *s);

/* A way's number of keys in self-attention, where keys come from x. */
enum { NO_Y = 0 };

/* A way in which forward may be called. */
typedef struct Way {
    int sequences, queries; /* queries of each sequence */
    int keys;               /* keys of each sequence, or NO_Y */
    bool causal;
    double size;    /* the standard deviation of the tokens */
    bool x_is_data; /* x gets no gradient, as one-hot tokens do */
    double y_size;  /* the standard deviation of y, if it differs; else 0 */
} Way;

/* The first BASIC_WAYS are self-attention, cross-attention and causal
   attention, with two sequences each. Ways with many tokens reveal a window of
   attention; without a mask, also one to both sides. In the last two ways
   either x or y is large and the other one small. Their scores are moderate, so
   the softmax does not hide how large numbers are treated. */
enum { SELF_WAY, CROSS_WAY, CAUSAL_WAY, BASIC_WAYS, WAYS = 12 };
extern const Way ways[WAYS];

/* The tokens of one call, sequence after sequence; y is NULL in self-attention.
 */
typedef struct Tokens {
    Subject *subject; /* its block is called */
    Way way;
    real *x, *y;
    real *gradient;   /* the gradient of x, followed by that of y */
    int x_size, size; /* the entries of x, and of x and y together */
    bool twice;       /* forward is called twice, and the outputs are added */
} Tokens;

/* Tokens for a way of calling, or for the nearest way that the variant allows
   (Variant.calls). */
Tokens tokens_of(Subject *s, Way way);

/* Records a call of forward: first its operands, beginning with the matrices,
   then any earlier blocks, then forward itself. `tokens` is a Tokens. */
Node *record(Tape *t, void *tokens);

/* The output for `in`, of the shape of x. If `with_gradients`, also computes
   the gradients of the tokens and of the matrices, in in->gradient and in
   subject->weights. Ends the process if a number is not finite, or if an
   operator writes too little or too much. */
real *computed(Tokens *in, bool with_gradients);

/* A hash of the outputs and gradients of all blocks, in all ways. */
uint64_t call_all(Subject *s);

/* A causal model of all blocks, each with its own matrices, and a sequence of
   `tokens` random symbols for it to read. Messages then name no tokens. */
enum { SYMBOLS = 11 };
typedef struct Stack {
    Model *model;
    Batch batch;
} Stack;
Stack stack_of(Subject *s, int tokens);

/* Records a call on a tape for shapes: its nodes have no values. */
Tape *shapes_of(Tokens *in);

#endif
