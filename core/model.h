/* model.h - the Transformer around a variant: embedding, positions, blocks of
   attention and MLP, and the map to logits. No biases but LayerNorm's. */
#ifndef MODEL_H
#define MODEL_H

#include "canonical.h"
#include "config.h"
#include "plugin.h"
#include "tape.h"
#include "task.h"

/* One matrix of the model. */
typedef struct Weight {
    char name[NAME_SIZE + 32]; /* "block0.attention.W^Q" */
    int rows, cols;
    bool attention;         /* declared by the variant */
    double mean, deviation; /* of its initial numbers */
    real *value, *gradient;
} Weight;

typedef struct Model {
    Config config;
    Sizes sizes;
    const Variant *variant;
    Attention attention;
    Weight *weights; /* in the order in which model_forward uses them */
    int count, room;
    int declared; /* of them by the variant, per block */
    size_t parameters,
        attention_parameters; /* numbers in all weights; in the variant's */
    real *values, *gradients; /* all of them, one after the other */
    real *sinusoids;          /* (tokens x d_model), or NULL */
    Node **nodes;             /* of the weights, in this step */
} Model;

/* The model that a settled config describes, at its seed's initial weights. */
Model *model_new(const Config *c, Sizes sizes, const Variant *v);
void model_free(Model *m);

/* What a variant sees of a settled config. */
Attention attention_of(const Config *c);

/* The numbers of a block's attention, matrix by matrix as the variant declares
   them. To be freed; the matrices are the model's. */
real **model_attention(const Model *m, int block);

/* The canonical form of a block's attention; canonical_free it. */
Canonical model_form(const Model *m, int block);

/* The logits (rows of the batch x classes). */
Node *model_forward(Model *m, Tape *t, const Batch *b);

#endif
