/* model.h - the Transformer around a variant: embedding, positions, blocks of
   attention and MLP, and the map to logits. No biases but LayerNorm's. */
#ifndef MODEL_H
#define MODEL_H

#include "heart/fail.h"
#include "heart/tape.h"
#include "heart/task.h"

/* One matrix of the model. */
typedef struct Weight {
    char name[NAME_SIZE + 32]; /* "block0.attention.W^Q" */
    int rows, cols;
    bool attention;         /* declared by the variant */
    double mean, deviation; /* of its initial entries */
    real *value, *gradient;
} Weight;

/* A place where the model has attention: in a block, on its own tokens; above
   the heart also in an encoder's, or in a block on those of a second
   sequence. */
enum { ENCODER, SELF, CROSS };
typedef struct ModelPlace {
    char name[32]; /* "block0.attention" */
    const Variant *variant;
    Attention attention;   /* what it sees */
    int weights, declared; /* the first of its variant's, and how many */
} ModelPlace;

typedef struct Model Model;

/* The equation of a model: the logits (rows of the batch x classes). It asks
   for each weight where it uses it, in the same order in every pass. In the
   first pass, for shapes only, it so lists them. Where the answers are no
   classes, it also says what the loss is, and how many are right. */
typedef struct Architecture {
    Node *(*logits)(Model *m, Tape *t, const Batch *b);
    Node *(*loss)(const Model *m, Node *logits, const int *targets,
                  int counted);
    double (*right)(const Model *m, const Node *logits, const int *targets);
} Architecture;
extern const Architecture one_sequence;

/* The weight and the place that the equation comes to next. */
typedef struct Cursor {
    int weight, place;
} Cursor;

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
    Tape *listing;            /* that of the first pass, then NULL */
    char block[20];           /* the name of the block that it lists */
    Cursor next;              /* in the other passes */
    size_t parameters;        /* entries of all weights */
    real *values, *gradients; /* all of them, one after the other */
    Node **nodes;             /* of the weights, in this step */

    /* In training: the steps taken, the rate of the latest, beta1^step and
       beta2^step, and running means of the gradients and of their squares. */
    int step;
    double rate, beta1_power, beta2_power;
    real *first, *second;

    /* What others may add to it: the rows of tables that are not trained
       (sinusoids); where the blocks of a decoder begin, behind those of an
       encoder; another optimizer than Adam; and a function that is called with
       what each attention read and returned. */
    Matrix fixed;
    Cursor decoder;
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

/* The logits of a batch; their loss over the counted rows, divided by
   `counted`; and how many of the answers are right. */
Node *model_forward(Model *m, Tape *t, const Batch *b);
Node *model_loss(const Model *m, Node *logits, const int *targets, int counted);
double model_right(const Model *m, const Node *logits, const int *targets);

/* For an architecture. The next weight of the equation, with the mean and the
   standard deviation of its initial entries, and its name; one that has a row
   for each token, or position, that there may be. */
Node *model_weight(Model *m, int rows, int cols, double mean, double deviation,
                   const char *name, ...) PRINTF(6, 7);
Node *model_table(Model *m, int rows, const char *name);

/* "block0": the name of a block, which is needed, and set, only in the first
   pass. */
const char *model_block(Model *m, const char *stack, int i);

/* LayerNorm, where the model has any; x += attention of x to y, or to itself
   where that is NULL; x += MLP(x); the map to logits. */
Node *model_norm(Model *m, Node *x, const char *block, const char *name);
Node *model_attend(Model *m, const Variant *v, Attention a, const char *block,
                   Node *x, Node *y);
Node *model_mlp(Model *m, Node *x, const char *block);
Node *model_classify(Model *m, Node *x);

#endif
