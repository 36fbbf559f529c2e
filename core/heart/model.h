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
    Attention attention; /* what it sees */
    int norm;            /* which of the model's weights are its LayerNorm's, */
    int weights, declared; /* and which, and how many, its variant's */
} ModelPlace;

/* A block: its places, and which of the model's weights are its MLP's. */
typedef struct ModelLayer {
    int self, cross;
    int norm, mlp;
} ModelLayer;

typedef struct Model Model;
typedef struct Optimizer Optimizer;

/* What kind of model it is: how it lists its weights, and how it computes the
   logits (rows of the batch x classes) from the nodes of these. Where its
   answers are no classes, what the loss is, and how many are right. */
typedef struct Architecture {
    void (*list)(Model *m);
    Node *(*logits)(Model *m, Tape *t, const Batch *b);
    Node *(*loss)(const Model *m, Node *logits, const int *targets,
                  int counted);
    double (*right)(const Model *m, const Node *logits, const int *targets);
} Architecture;
extern const Architecture one_sequence;

enum { FIXED = 3 };
struct Model {
    Config config;
    Sizes sizes;
    const Architecture *architecture;
    const Variant *variant;
    Attention attention; /* as the first block's sees it */
    Weight *weights;     /* in the order in which they are listed */
    int count, capacity;
    ModelPlace *place; /* in the same order */
    int places, place_capacity;
    ModelLayer *layers;
    /* Which of the nodes these are, noted when they are listed, -1 for none;
       the bias of a LayerNorm follows its gain. */
    int embedding, positions, norm, unembedding;
    size_t parameters;        /* entries of all weights */
    real *values, *gradients; /* all of them, one after the other */
    Node **nodes;             /* of the weights, in this step */

    /* What others may add to it: matrices that are not trained, whose nodes
       stand behind those of the weights (sinusoids); an encoder; another
       optimizer; and a function that is called with what each attention read
       and returned. */
    Matrix fixed[FIXED];
    ModelLayer *encoder;
    int encoder_norm, source_positions;
    void (*update)(Optimizer *o, int step);
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

/* After model_forward on a further micro-batch: the backward pass adds to the
   gradients that those before it have left. */
void model_add_gradients(Model *m);

/* For an architecture, to list: a matrix, with the mean and the standard
   deviation of its initial entries, and its name; a LayerNorm, where the model
   has any; an attention, with what its variant declares; an MLP. They return
   the index of the first weight, or of the place. */
int list_weight(Model *m, int rows, int cols, double mean, double deviation,
                const char *name, ...) PRINTF(6, 7);
int list_norm(Model *m, const char *block, const char *norm);
int list_attention(Model *m, const Variant *v, Attention a, const char *block);
void list_mlp(Model *m, ModelLayer *layer, const char *block);
void list_embedding(Model *m);
void list_unembedding(Model *m);

/* And to compute: embedded tokens with their positions, from `first` on;
   LayerNorm; attention of x to y, or to itself where that is NULL; an MLP; the
   logits. */
Node *model_tokens(Model *m, const int *ids, int rows, int sequences,
                   int positions, int first);
Node *model_norm(Model *m, Node *x, int gain);
Node *model_attend(Model *m, int place, Node *x, Node *y);
Node *model_mlp(Model *m, const ModelLayer *layer, Node *x);

#endif
