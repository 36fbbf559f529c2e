/* published.h - models as the world runs them: from a config.json, as it is
   published.

   What is known of the world is data, in three tables beside this file, each
   row with its source. families.tsv describes the attention of each model_type
   and names its tensors; keys.tsv says what the keys of a config.json mean;
   published.tsv has models whose sizes are in a paper, as a config.json would
   say them. A key or a model_type that is in no table is reported by name, and
   nothing is guessed. */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include <stdbool.h>

#include "base/words.h"

typedef struct Published {
    const char *name;   /* of a row, or the path of the file */
    const char *source; /* of a row */
    const char *type;   /* model_type, and what its family has: */
    const char *has;    /* encodes: it caches nothing; rope; sinks; latent: keys
                           and values are made from one; head-norm: RMSNorm of
                           each head's q and k, full-norm: of all heads' together;
                           capped: a tanh is over its scores; transposed: its
                           tensors are (inputs x outputs); interleaved: q, k and
                           v of a head follow one another in one */
    const char *biases; /* of which maps, "qkvo" */
    const char *tensors[4]; /* of q, k, v and o, # for the layer; the same name
                               where a tensor has several */
    int d_model, layers, heads, groups, d_k, d_v;
    int encoders; /* so many layers cache nothing, */
    int window;   /* and so many see no more tokens than these */
    int local;
    int latent, query_latent, rope; /* rope: rotated columns of d_k; or, with a
                                       latent, those besides */
} Published;

/* Has its family this? */
bool published_has(const Published *p, const char *what);

/* Reads a config.json; fails with what is wrong or unknown, and notes unknown
   keys. The strings that it reads are never freed. */
Published published_read(const char *path);

/* The model in row i of published.tsv, or false if there is none; and the model
   of a name, or a failure. */
bool published_row(int i, Published *p);
Published published_named(const char *name);

/* The settings that give a model its shape, without latents; to be freed. */
char *published_settings(const Published *p);

/* What its attention stores, in all layers, and how much of that is gauge, by
   the same rank as `qkv count --real`; what one token among so many costs; and
   how many numbers a decoder keeps of these tokens, and would keep if no layer
   had a window. */
typedef struct Account {
    double stored, gauge, flops, cache, unwindowed;
} Account;
Account published_account(const Published *p, int tokens);

#endif
