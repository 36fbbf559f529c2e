/* published.h - models as the world runs them: from a config.json, as it is
   published.

   All facts about the world are data, in five tables beside this file.
   families.tsv describes the attention of each model_type, with its source, and
   names its tensors. Its layers have a window except every n-th; 0 is for those
   that all have one, -1 for those whose config.json has to say it. states.tsv
   has the size of the state of layers without softmax, and refused.tsv says why
   a model_type is not counted. keys.tsv says what the keys of a config.json
   mean, and of which layers. published.tsv
   has models whose sizes are in a paper, as a config.json would say them. A key
   or a model_type that is in no table is reported by name, and nothing is
   guessed.

   A model is a list of layers, each with its own sizes. So local and global
   layers in turn, layers that use the keys of others, and an encoder before a
   decoder are counted alike, layer by layer. */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include <stdbool.h>

/* One layer. A model is its first layer, whose `each` points to the array of
   all layers. */
typedef struct Published {
    const char *name;       /* of a row, or the path of the file */
    const char *type;       /* its model_type */
    const char *has;        /* what the family has. encodes: it caches nothing;
                               rope; sinks; latent: keys and values are made from a
                               latent; head-norm: RMSNorm of each head's q and k;
                               value-norm: RMSNorm of each v, without a gain;
                               full-norm: RMSNorm of all heads' q and k together;
                               capped: a tanh limits the scores; transposed: its
                               tensors are (inputs x outputs); interleaved: q, k and
                               v of a head are adjacent in one tensor;
                               gains-from-1: a norm's gain is 1 more than what
                               is stored; output-normed: RMSNorm of what attention
                               adds to a token, of all heads together; gated: a
                               map of the token multiplies the heads' output,
                               entry by entry; local-rope: only layers with a
                               window are rotated, if there are any;
                               state-beside: every layer has a state beside its
                               attention; parts: an encoder and a decoder;
                               whole: the formula of a whole model is known
                               (published_whole.h) */
    const char *part;       /* the part that is counted: encoder, decoder or
                               cross; or NULL */
    const char *biases;     /* the maps that have a bias, of "qkvo" */
    const char *tensors[4]; /* names of q, k, v and o, with # for the layer's
                               number; several may be in one tensor */
    const char *norm;       /* the norm that only these maps read, likewise; "-"
                               if there is none */
    const char *ignores; /* the sizes that its family's program does not read */
    const char *function;   /* the keys by which it is not the function that a
                               run of the same shape has, and why; or NULL */
    const char *compared;   /* the keys by which it may differ from a model of
                               its shape, but not from a run; or NULL */
    struct Published *each; /* a model's layers */

    /* Its sizes; 0: there is none. rope: rotated columns, a part of d_k, or
       added to d_k if there is a latent. kdim, vdim: the widths of what keys
       and values are made from. window: the most tokens that it sees. encoders:
       is it in an encoder, which caches nothing? shared: does it use the keys
       and values of an earlier layer? keys_are_values: before norms and
       positions. adjacent: are the two columns of a rotated pair side by side
       in the tensors? linear: a layer without softmax, of which only the state
       is counted. buckets: of distances, each with a bias for each head.
       unit_norm: q and k are normed after the rotation, without gains. From
       head on, sizes are only read: others follow from them. */
    int layers, d_model, heads, d_k, d_v, rope, latent, groups;
    int query_latent, kdim, vdim, window, encoders, decodes, shared;
    int keys_are_values, adjacent, linear, buckets, unit_norm;
    int head, equal_groups, windows, every, softmax_every, global_from, biased;
    int one_group, own_groups, rotates, unrotated_every;
    double state; /* the numbers that it keeps, for any number of tokens */
} Published;

/* Does its family have this feature, one of the words of Published.has? */
bool published_has(const Published *p, const char *feature);

/* Does any layer of the model rotate its queries and keys? */
bool published_rotates(const Published *model);

/* Reads a config.json from `text`, which it cuts in place, or, if `text` is
   NULL, from the file at `path`. If a key is wrong or unsupported, it fails and
   names the key; keys that it does not know are noted. The result is kept until
   the program ends. `part`: of a composite model, or of an encoder and a
   decoder; NULL: the text model, or all. */
Published published_read(const char *path, char *text, const char *part);

/* The key by which two models differ in the shape or the function of attention,
   and the two values; NULL if there is none. */
char *published_difference(const Published *a, const Published *b);

/* The text of its config.json, changed to `groups` heads of keys and values.
   Fails if no change of one key does that in every layer. */
char *published_with_groups(const Published *p, int groups);

/* The settings that give a run its shape, without latents. */
char *published_settings(const Published *p);

/* The account of its attention, in all layers. */
typedef struct Account {
    double stored;     /* parameters */
    double gauge;      /* parameters that change nothing, as `qkv count --real`
                          counts them */
    double flops;      /* of one token among `tokens` */
    double cache;      /* numbers that a decoder keeps of these tokens */
    double unwindowed; /* the same if no layer had a window */
    double state;      /* numbers that it keeps of any number of tokens */
} Account;
Account published_account(const Published *model, int tokens);

/* The same of one layer. */
Account layer_account(const Published *layer, int tokens);

#endif
