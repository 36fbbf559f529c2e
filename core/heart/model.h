/* model.h - the Transformer around a variant: embedding, positions, blocks of
   attention and MLP, and the map to logits. No biases but LayerNorm's. */
#ifndef MODEL_H
#define MODEL_H

#include "heart/fail.h"
#include "heart/matrix.h"
#include "heart/tape.h"
#include "heart/task.h"

/* A place where the model has attention. In the heart's models it is always
   SELF: a block reads its own tokens. Models above the heart also have it in
   the blocks of an encoder, and in blocks that read a second sequence. */
enum { ENCODER, SELF, CROSS };
typedef struct ModelPlace {
    char name[PART_SIZE]; /* "block0.attention" */
    const Variant *variant;
    Attention attention;   /* what the variant is told */
    int weights, declared; /* index of its first weight, and their number */
} ModelPlace;

typedef struct Model Model;

/* The equation of a model. `logits` returns (rows of the batch x classes). It
   fetches each weight where it uses it, in the same order in every pass; the
   first pass, for shapes only, lists them. `loss` returns the sum over the
   counted rows, divided by `counted`. Unless `right` is NULL, it adds the
   number of right answers to *right. */
typedef struct Architecture {
    Node *(*logits)(Model *m, Tape *t, const Batch *b);
    Node *(*loss)(const Model *m, Node *logits, const int *targets, int counted,
                  double *right);
    /* RMSNorm with a gain; NULL in the heart, whose models have no NORM_RMS */
    Node *(*rms_norm)(Node *x, Node *gain);
} Architecture;
Node *class_loss(const Model *m, Node *logits, const int *targets, int counted,
                 double *right);
extern const Architecture one_sequence;

struct Model {
    Config config;
    Sizes sizes;
    const Architecture *architecture;
    const Variant *variant;
    Attention attention; /* as the variant gets it in the first block */
    Weight *weights;     /* in the order in which the equation uses them */
    int count, capacity;
    ModelPlace *place; /* in the same order */
    int places, place_capacity;
    Tape *listing;            /* the tape of the first pass, then NULL */
    int next, next_place;     /* in later passes, the weight and the place
                                 that the equation uses next */
    size_t parameters;        /* entries of all weights */
    real *values, *gradients; /* of all weights, one after the other */
    Node **nodes;             /* the weights on the tape of this pass */

    /* The state of training. `first` and `second` are running means of the
       gradients and of their squares. */
    int step;                        /* number of steps taken */
    double rate;                     /* learning rate of the latest step */
    double beta1_power, beta2_power; /* beta1^step, beta2^step */
    real *first, *second;

    /* Hooks for the folders above. */
    Matrix fixed; /* rows of tables that are not trained (one-hot) */
    /* If set, the optimizer, instead of Adam: moves the values against the
       gradients, and sets `rate`. `first` and `second`, 0 at first, are its. */
    void (*update)(Model *m);
    /* If set, it is called with the operands and the result of each attention.
     */
    void (*attended)(void *to, Node *x, Node *y, Node *out);
    void *to; /* its first argument */
};

/* A model with all its weights listed, but without values. The config has its
   widths resolved. The model's parameters can be counted, and a forward pass on
   a tape for shapes tells how much memory one would take. */
Model *model_outline(const Config *c, Sizes sizes, const Variant *v,
                     const Architecture *architecture);

/* Gives the model memory, and the initial weights of its config's seed. */
void model_start(Model *m);
void model_free(Model *m);

/* The logits of a batch. */
Node *model_forward(Model *m, Tape *t, const Batch *b);

/* For an architecture: the next weight of the equation. It belongs to a part of
   the model, in the block of `block` (NULL: outside all blocks), where it is
   called `name` ("" if it is the only weight there). Its initial entries have
   this mean and standard deviation. */
Node *model_weight(Model *m, const Attention *block, const char *part,
                   const char *name, int rows, int cols, double mean,
                   double deviation);

/* A table of vectors, one in each row: "embedding" or "positions". */
Node *model_table(Model *m, const char *name, int rows);

/* model_norm returns LayerNorm(x), or x if the model has no norms;
   model_attend, x + attention(x, y), or x + attention(x, x) if y is NULL;
   model_mlp, x + MLP(x); model_classify, the logits. */
Node *model_norm(Model *m, const Attention *block, const char *part, Node *x);
Node *model_attend(Model *m, const Variant *v, Attention *a, Node *x, Node *y);
Node *model_mlp(Model *m, const Attention *block, Node *x);
Node *model_classify(Model *m, Node *x);

#endif
