/* model.h - the Transformer around a variant: embedding, positions, blocks of
   attention and MLP, and the map to logits. Outside the variants, only
   LayerNorm has biases.

   A part of a model is a group of weights whose initial entries are drawn from
   one random stream: "embedding", or "block0.mlp". A place is one attention of
   the model. The equation of the model asks for each weight where it uses it.
   It is run once on a tape for shapes only, to list the weights and the places;
   every later pass asks for them in the same order. */
#ifndef MODEL_H
#define MODEL_H

#include "heart/fail.h"
#include "heart/matrix.h"
#include "heart/tape.h"
#include "heart/task.h"

/* A place has a kind (Attention.place). In the heart's models it is SELF,
   as an Attention is unless it says otherwise: x attends to itself. In models
   above the heart, the places of an encoder are ENCODER, and a block that also
   attends to a second sequence has another place, CROSS. */
enum { SELF = 0, ENCODER, CROSS };
typedef struct ModelPlace {
    char name[PART_SIZE]; /* "block0.attention" */
    const Variant *variant;
    Attention attention;   /* what the variant is told */
    int weights, declared; /* index of its first weight, and their number */
} ModelPlace;

typedef struct Model Model;

/* The equation of a model. `logits` returns a matrix (rows of the batch x
   classes). `loss` returns the sum of the losses of the counted rows
   (embedding_and_loss.h), divided by `counted`. Unless `right` is NULL, it adds
   the number of right answers to *right. */
typedef struct Architecture {
    Node *(*logits)(Model *m, Tape *t, const Batch *b);
    Node *(*loss)(const Model *m, Node *logits, const int *targets, int counted,
                  double *right);
    /* RMSNorm with a gain; NULL in the heart, whose models have no NORM_RMS. */
    Node *(*rms_norm)(Node *x, Node *gain);
} Architecture;
/* The `loss` of models whose answers are classes: cross_entropy. */
Node *class_loss(const Model *m, Node *logits, const int *targets, int counted,
                 double *right);
/* The heart's only architecture: blocks of self-attention over one sequence. */
extern const Architecture one_sequence;

struct Model {
    Config config;
    Sizes sizes;
    const Architecture *architecture;
    const Variant *variant;
    Attention attention; /* the description that the variant gets in the first
                            block */
    Weight *weights;     /* in the order in which the equation uses them */
    int count, capacity; /* of weights */
    ModelPlace *place;   /* also in the order of their use */
    int places, place_capacity;
    Tape *listing;        /* the tape of the first pass, then NULL */
    int next, next_place; /* in later passes, the indices of the next weight and
                             of the next place that the equation uses */
    size_t parameters;    /* entries of all weights */
    real *values, *gradients; /* of all weights, one after the other */
    Node **nodes;             /* the leaves of the weights in this pass */

    /* The state of training. `first` and `second` are running means of the
       gradients and of their squares. */
    int step;                        /* number of steps taken */
    double rate;                     /* learning rate of this step */
    double beta1_power, beta2_power; /* beta1^step, beta2^step */
    real *first, *second;

    /* Hooks for the folders above. */
    Matrix fixed; /* one-hot rows, used instead of trained tables */
    /* If set, optimizer_step (adam.h) calls it instead of Adam. It moves the
       values by the gradients, and may change `rate` first. It may use `first`
       and `second`, which are 0 at first. */
    void (*update)(Model *m);
    /* If set, it is called with `to`, and with the operands and the result of
       each attention. */
    void (*attended)(void *to, Node *x, Node *y, Node *out);
    void *to;
};

/* Makes a model that lists all its weights but has no values for them. Its
   parameters can be counted, and a forward pass on a tape for shapes finds how
   much memory a real pass needs. */
Model *model_outline(const Config *c, Sizes sizes, const Variant *v,
                     const Architecture *architecture);

/* Gives the model memory, and the initial weights for its config's seed. */
void model_start(Model *m);
void model_free(Model *m);

/* The logits of a batch. */
Node *model_forward(Model *m, Tape *t, const Batch *b);

/* An equation consists of calls of these functions. `block` is the attention of
   the block that the call is in, or NULL outside all blocks; `part` is the name
   of the part within the block.

   Returns a weight with a vector of width d_model in each row, such as
   "embedding" or "positions". */
Node *model_table(Model *m, const char *name, int rows);

/* Returns LayerNorm(x), RMSNorm(x), or x if the model has no norms. */
Node *model_norm(Model *m, const Attention *block, const char *part, Node *x);

/* Returns x + attention(norm(x), y), or attention(norm(x), y) if the config has
   no `residual`. If y is NULL, it is norm(x). */
Node *model_attend(Model *m, const Variant *v, Attention *a, Node *x, Node *y);

/* Returns x + MLP(norm(x)), or x if the model has no MLP. */
Node *model_mlp(Model *m, const Attention *block, Node *x);

/* Returns the logits: norm(x) times a matrix (d_model x classes). */
Node *model_classify(Model *m, Node *x);

#endif
