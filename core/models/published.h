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
    const char *name;       /* of a row, or the path of the file */
    const char *source;     /* of a row */
    const char *type;       /* its model_type */
    const char *has;        /* what the family has. encodes: it caches nothing;
                               rope; sinks; latent: keys and values are made from a
                               latent; head-norm: RMSNorm of each head's q and k;
                               full-norm: RMSNorm of all heads' q and k together;
                               capped: a tanh limits the scores; transposed: its
                               tensors are (inputs x outputs); interleaved: q, k and
                               v of a head are adjacent in one tensor */
    const char *biases;     /* the maps that have a bias, of "qkvo" */
    const char *tensors[4]; /* names of q, k, v and o, with # for the layer's
                               number; several may be in one tensor */
    int d_model, layers, heads, groups, d_k, d_v;
    int encoders;             /* the number of layers that cache nothing */
    int window;               /* tokens that a local layer sees; 0: no window */
    int local;                /* the number of local layers */
    int latent, query_latent; /* their widths, or 0 */
    int rope; /* rotated columns, a part of d_k, or added to d_k if there is a
                 latent */
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
