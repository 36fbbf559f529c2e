/* model.h - the Transformer around a variant: embedding, positions, blocks of
   attention and MLP, maybe an encoder that they ask too, and the map to logits.
   No biases but LayerNorm's. */
#ifndef MODEL_H
#define MODEL_H

#include "tape/tape.h"
#include "variant/canonical.h"
#include "variant/plugin.h"
#include "task/config.h"
#include "task/task.h"

/* One matrix of the model. */
typedef struct Weight {
    char name[NAME_SIZE + 32]; /* "block0.attention.W^Q" */
    int rows, cols;
    bool attention;         /* declared by the variant */
    double mean, deviation; /* of its initial numbers */
    real *value, *gradient;
} Weight;

/* Where attention stands, and whom it asks. */
enum { ENCODER, SELF, CROSS, KINDS };

typedef struct Model {
    Config config;
    Sizes sizes;
    const Variant *variant;     /* of self-attention, */
    const Variant *cast[KINDS]; /* and of each kind of place */
    Attention attention;        /* as self-attention of a block sees it */
    Weight *weights; /* in the order in which model_forward uses them */
    int count, room;
    int declared[KINDS]; /* of them by the variant, per place */
    int places; /* where attention stands: the encoder's blocks, then in each
                   block self-attention, cross-attention, or both */
    size_t parameters,
        attention_parameters; /* numbers in all weights; in the variant's */
    real *values, *gradients; /* all of them, one after the other */
    real *table;  /* rows that are not trained, as wide as a token: sinusoids,
                     or the identity that one-hot tokens are rows of; or NULL */
    Node **nodes; /* of the weights, in this step */
} Model;

/* Settles c for p, and for the variants that its encoder and cross-attention
   name besides; sets the hash of all their files. Exits as config_settle and
   plugin_open do. */
void config_cast(Config *c, const Plugin *p);

/* The model that a settled config describes, at its seed's initial weights. */
Model *model_new(const Config *c, Sizes sizes, const Variant *v);

/* The same without a number in it: what it has, and what it would take on a
   measuring tape, can be asked, at no cost. */
Model *model_outline(const Config *c, Sizes sizes, const Variant *v);
void model_free(Model *m);

/* The one number of a one-hot row that is not 0: its entries then have the mean
   square of an embedding's, 0.49, and scores start as large as there. */
double onehot_size(const Model *m);

/* What a variant sees of a settled config. */
Attention attention_of(const Config *c);

/* The same in a model of these sizes: one-hot tokens have a width of their
   own. */
Attention attention_in(const Config *c, Sizes z);

/* Where place `place` of 0 .. places - 1 is: "encoder0.attention",
   "block0.attention", "block0.cross". */
enum { PLACE_SIZE = 32 };
void place_name(const Model *m, int place, char name[PLACE_SIZE]);

/* The variant at a place, and the word that named it. */
const Variant *place_variant(const Model *m, int place);
const char *place_word(const Model *m, int place);

/* The numbers of a place's attention, matrix by matrix as the variant declares
   them. To be freed; the matrices are the model's. */
real **model_attention(const Model *m, int place);

/* The canonical form of a place's attention; canonical_free it. */
Canonical model_form(const Model *m, int place);

/* What all attention of the model costs: FLOPs of the forward run, the
   encoder's too, per token of the first sequence, and numbers that a decoder
   keeps per token, of the first sequence and of the second. */
void model_cost(const Model *m, double *flops, double *cache);

/* The weight of that name; a bug if there is none. */
Weight *model_weight(const Model *m, const char *name);

/* The logits (rows of the batch x classes). */
Node *model_forward(Model *m, Tape *t, const Batch *b);

/* The loss of the logits over the counted rows, divided by `counted`: cross-
   entropy, or the squared error where the task's answers are numbers. */
Node *model_loss(const Model *m, Node *logits, const int *targets, int counted);

/* How many of the answers are right; for numbers, what is explained of them. */
double model_right(const Model *m, const Node *logits, const int *targets);

/* After model_forward on a further part of a batch: the way back adds to the
   gradients that the parts before have left. */
void model_add_gradients(Model *m);

#endif
