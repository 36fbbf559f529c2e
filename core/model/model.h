/* model.h - the Transformer around a variant: embedding, positions, blocks of
   attention and MLP, perhaps an encoder that they attend to, and the map to
   logits. No biases but LayerNorm's. */
#ifndef MODEL_H
#define MODEL_H

#include "heart/tape.h"
#include "task/settings.h"
#include "task/task.h"
#include "variant/find.h"

/* One matrix of the model. */
typedef struct Weight {
    char name[NAME_SIZE + 32]; /* "block0.attention.W^Q" */
    int rows, cols;
    bool attention;         /* declared by the variant */
    double mean, deviation; /* of its initial entries */
    real *value, *gradient;
} Weight;

/* A place where the model has attention: in a block of the encoder, in a block
   on its own tokens, or there on those of the second sequence. */
enum { ENCODER, SELF, CROSS, KINDS };
enum { PLACE_SIZE = 32 };
typedef struct ModelPlace {
    char name[PLACE_SIZE]; /* "encoder0.attention", "block0.attention",
                              "block0.cross" */
    int kind, layer;       /* the number of its block */
    int norm; /* which of the model's weights are its LayerNorm's, */
    int weights, declared; /* and which, and how many, its variant's */
} ModelPlace;

/* A block of the model, or of its encoder: its places, and which of the model's
   weights are those of its MLP. */
typedef struct ModelLayer {
    int self, cross;
    int norm, mlp;
} ModelLayer;

typedef struct Model {
    Config config;
    Sizes sizes;
    const Variant *cast[KINDS]; /* of each kind of place */
    Attention attention;        /* as self-attention of a block sees it */
    Weight *weights;            /* in the order in which they are drawn */
    int count, capacity;
    /* Which of the weights these are, noted when they are listed; the bias of a
       LayerNorm follows its gain. */
    int embedding, positions, source_positions, encoder_norm, norm, unembedding;
    ModelLayer *encoder, *layers;
    ModelPlace *place; /* the encoder's, then of each block in turn */
    int places, place_capacity;
    size_t parameters,
        attention_parameters; /* entries of all weights; of the variant's */
    real *values, *gradients; /* all of them, one after the other */
    real *table;  /* rows that are not trained, as wide as a token: sinusoids,
                     or the identity that one-hot tokens are rows of; or NULL */
    Node **nodes; /* of the weights, in this step */
    /* If it is there, called with what each attention read and returned. */
    void (*attended)(void *to, Node *x, Node *y, Node *out);
    void *to;
} Model;

/* Settles c for p, and for the variants that its encoder and cross-attention
   name besides; sets the hash of all their files. Exits as config_settle and
   plugin_open do. */
void config_cast(Config *c, const Plugin *p);

/* The model that a settled config describes, at its seed's initial weights. */
Model *model_new(const Config *c, Sizes sizes, const Variant *v);

/* The same of a config that only names its variant and its task; dataset_close
   what the task draws from. */
Model *model_open(Config c, Dataset *data);

/* The same without values: what it has, and what it would take on a measuring
   tape, can be asked, at no cost. */
Model *model_outline(const Config *c, Sizes sizes, const Variant *v);
void model_free(Model *m);

/* A model with m's weights for sequences of other lengths; of learned positions
   those that both have. One whose positions are columns, since its tokens are
   one-hot, keeps its lengths. */
Model *model_resized(const Model *m, int tokens, int source);

/* The one entry of a one-hot row that is not 0: the row's mean square is then
   that of an embedding, 0.49, and scores start as large as there. */
double onehot_size(const Model *m);

/* What a variant sees of a settled config. */
Attention attention_of(const Config *c);

/* The same in a model of these sizes: one-hot tokens have a width of their
   own. */
Attention attention_in(const Config *c, Sizes z);

/* What the variant at a place sees; and it, and the word that named it. */
Attention place_attention(const Model *m, int place);
const Variant *place_variant(const Model *m, int place);
const char *place_word(const Model *m, int place);

/* The values of a place's attention, matrix by matrix as the variant declares
   them. To be freed; the matrices are the model's. */
real **model_attention(const Model *m, int place);

/* The weight of that name; a bug if there is none. */
Weight *model_weight(const Model *m, const char *name);

/* The logits (rows of the batch x classes). */
Node *model_forward(Model *m, Tape *t, const Batch *b);

/* The loss of the logits over the counted rows, divided by `counted`: cross-
   entropy, or the squared error where the task's answers are numbers. */
Node *model_loss(const Model *m, Node *logits, const int *targets, int counted);

/* How many of the answers are right; for numbers, what is explained of them. */
double model_right(const Model *m, const Node *logits, const int *targets);

/* After model_forward on a further micro-batch: the backward pass adds to the
   gradients that those before it have left. */
void model_add_gradients(Model *m);

#endif
