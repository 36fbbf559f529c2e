/* model.h - the Transformer around a variant: embedding, positions, blocks of
   attention and MLP, and the map to logits. No biases but LayerNorm's. */
#ifndef MODEL_H
#define MODEL_H

#include "heart/fail.h"
#include "heart/matrix.h"
#include "heart/tape.h"
#include "heart/task.h"

/* A place where the model has attention: in a block, on its own tokens; above
   the heart also in an encoder's, or in a block on those of a second
   sequence. */
enum { ENCODER, SELF, CROSS };
typedef struct ModelPlace {
    char name[PART_SIZE]; /* "block0.attention" */
    const Variant *variant;
    Attention attention;   /* what it sees */
    int weights, declared; /* the first of its variant's, and how many */
} ModelPlace;

typedef struct Model Model;

/* The equation of a model: the logits (rows of the batch x classes). It asks
   for each weight where it uses it, in the same order in every pass; the first
   pass, for shapes only, lists them. `loss` is the sum over the counted rows,
   divided by `counted`; it adds how many of the answers are right to *right,
   unless that is NULL. */
typedef struct Architecture {
    Node *(*logits)(Model *m, Tape *t, const Batch *b);
    Node *(*loss)(const Model *m, Node *logits, const int *targets, int counted,
                  double *right);
} Architecture;
Node *class_loss(const Model *m, Node *logits, const int *targets, int counted,
                 double *right);
extern const Architecture one_sequence;

struct Model {
    Config config;
    Sizes sizes;
    const Architecture *architecture;
    const Variant *variant;
    Attention attention; /* as the first block's sees it */
    Weight *weights;     /* in the order in which they are asked for */
    int count, capacity;
    ModelPlace *place; /* in the same order */
    int places, place_capacity;
    Tape *listing;        /* that of the first pass, then NULL */
    int next, next_place; /* the weight and the place that the equation comes
                             to next in the other passes */
    size_t parameters;    /* entries of all weights */
    real *values, *gradients; /* all of them, one after the other */
    Node **nodes;             /* of the weights, in this step */

    /* In training: the steps taken, the rate of the latest, beta1^step and
       beta2^step, and running means of the gradients and of their squares. */
    int step;
    double rate, beta1_power, beta2_power;
    real *first, *second;

    /* What others may add to it: the rows of tables that are not trained
       (one-hot); another optimizer than Adam, which moves the values against
       the gradients, sets the rate, and may use `first` and `second` for what
       it likes (they are 0 at first); and a function that is called with what
       each attention read and returned. */
    Matrix fixed;
    void (*update)(Model *m);
    void (*attended)(void *to, Node *x, Node *y, Node *out);
    void *to;
};

/* A model of a config that has its widths, with all its weights listed, but
   without values: what it has, and what it would take on a tape that has
   shapes only, can be asked. */
Model *model_outline(const Config *c, Sizes sizes, const Variant *v,
                     const Architecture *architecture);

/* Gives it memory, and the initial weights of its config's seed. */
void model_start(Model *m);
void model_free(Model *m);

/* The logits of a batch. */
Node *model_forward(Model *m, Tape *t, const Batch *b);

/* For an architecture: the next weight of the equation. `part` is the part of
   the model that it belongs to, in the block of `block` (NULL: outside all
   blocks), and `name` its own name there, "" if it has none; with the mean and
   the standard deviation of its initial entries. */
Node *model_weight(Model *m, const Attention *block, const char *part,
                   const char *name, int rows, int cols, double mean,
                   double deviation);

/* The table of that name with a vector in each row: "embedding", "positions".
 */
Node *model_table(Model *m, const char *name, int rows);

/* LayerNorm, where the model has any; x += attention of x to y, or to itself
   where that is NULL; x += MLP(x); the map to logits. */
Node *model_norm(Model *m, const Attention *block, const char *part, Node *x);
Node *model_attend(Model *m, const Variant *v, Attention *a, Node *x, Node *y);
Node *model_mlp(Model *m, const Attention *block, Node *x);
Node *model_classify(Model *m, Node *x);

#endif
