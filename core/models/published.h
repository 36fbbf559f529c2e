/* published.h - models as the world runs them: from their config.json, or from
   a table of those whose papers say how large they are.

   A family of models is a row of a table: which matrices, biases and norms its
   attention has, which layers see a window only, and what its tensors are
   called. A key or a model_type that no row knows is named, and nothing is
   guessed. */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include <stdbool.h>

#include "base/words.h"

/* What a family has. */
enum {
    ENCODES = 1,    /* it caches nothing */
    ROTARY = 2,     /* q and k are rotated by their position */
    SINKS = 4,      /* an extra logit for each head */
    HEAD_NORM = 8,  /* RMSNorm of each head's q and k, one gain for all heads */
    FULL_NORM = 16, /* RMSNorm of all heads' q and k together */
    LATENT = 32,    /* keys and values are made from a latent */
    SWITCHED = 64,  /* its window counts only if use_sliding_window is true */
    TRANSPOSED = 128, /* its tensors are (inputs x outputs) */
    CAPPED = 512,     /* a tanh is over its scores */
    INTERLEAVED = 256 /* q, k and v of a head follow one another in a tensor */
};

typedef struct Family {
    const char *type; /* model_type in config.json */
    int has;
    const char *biases; /* of "qkvo", where attention_bias says nothing */
    int every;          /* each so-manieth layer sees all tokens and the others
                           a window; 0: none does, if there is a window */
    const char *tensors[4]; /* of q, k, v and o, # for the layer; the same name
                               where a tensor has several */
} Family;

typedef struct Published {
    const char *name;   /* of a row, or the path of the file */
    const char *source; /* where its sizes are from */
    const Family *family;
    int d_model, layers, heads, groups, d_k, d_v, window, encoders;
    int latent, query_latent, rope; /* rope: rotated columns of d_k; or, with a
                                       latent, those besides */
    bool bias[4];                   /* of q, k, v and o */
    bool *local;                    /* of each layer: it sees a window only */
} Published;
enum { QUERY, KEY, VALUE, OUTPUT };

/* Reads a config.json; fails with what is wrong, or unknown. What it has that
   nobody knows is noted. */
Published published_read(const char *path);

/* The row of that number, and how many there are; and that of that name, which
   fails where there is none. */
extern const int published_count;
Published published_row(int i);
Published published_named(const char *name);

/* The settings that have its shape, for any variant; to be freed. */
char *published_settings(const Published *p);

/* These, and in words what else it has; to be freed. */
char *published_words(const Published *p);

#endif
