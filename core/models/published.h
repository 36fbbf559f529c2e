/* published.h - published models, as their config.json describes them.

   All facts about models are data, in tables beside this file. families.tsv
   describes the attention of each model_type, with its source, and names its
   tensors; its column `every` is n if all layers have a window except every
   n-th, 0 if all have one, and -1 if config.json has to say which. states.tsv
   has the size of the state of layers without softmax. refused.tsv says why a
   model_type is not counted. keys.tsv says what the keys of a config.json mean,
   and which layers they describe. published.tsv has models whose sizes are in a
   paper, in the form of a config.json. A key or a model_type that is in no
   table is reported by name; nothing is guessed.

   A model is a list of layers, each with its own sizes. So models with local
   and global layers, with layers that use the keys of others, or with an
   encoder before a decoder, are all counted in the same way, layer by layer. */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include <stdbool.h>

/* One layer. A model is its first layer, whose `each` points to the array of
   all layers.

   The words of `has`, the features of the family:
   - encodes: it caches nothing
   - rope: queries and keys are rotated; local-rope: only in layers with a
     window, if there are any
   - sinks: each head's softmax has one more score, which no token has
   - latent: keys and values are made from a latent
   - head-norm, full-norm: RMSNorm of q and k, for each head or of all heads
     together; value-norm: RMSNorm of each v, without a gain
   - output-normed: RMSNorm of the sum of all heads, before it is added to a
     token
   - gains-from-1: the gain of a norm is 1 more than the stored number
   - capped: a tanh limits the scores
   - gated: a map of the token multiplies the heads' output, entry by entry
   - transposed: its tensors are (inputs x outputs)
   - interleaved: q, k and v of a head are adjacent in one tensor
   - state-beside: every layer has a state beside its attention
   - parts: it is an encoder and a decoder
   - whole: the formula of a whole model is known (published_whole.h)

   The sizes of a layer; 0 says that it has none, or no:
   - groups: heads of keys and values
   - d_k, d_v: the columns of a head's key and value
   - rope: rotated columns of a head; d_k includes them, except with a latent
   - latent: columns of the latent that keys and values are made from
   - query_latent: columns of the latent that queries are made from
   - kdim, vdim: the widths of the rows that keys and values are made from
   - window: the most tokens that it sees
   - encoders: is it in an encoder, which caches nothing?
   - shared: does it use the keys and values of an earlier layer?
   - keys_are_values: are values the keys before norms and positions?
   - adjacent: are the two columns of a rotated pair adjacent in the tensors?
   - linear: it has no softmax; only its state is counted
   - buckets: ranges of distances, each with a bias for each head
   - unit_norm: are q and k normed after the rotation, without gains?
   The sizes from `head` on are as the file gives them, and are only needed to
   find the others. */
typedef struct Published {
    const char *name;       /* its name in published.tsv, or the file's path */
    const char *type;       /* its model_type */
    const char *has;        /* words, see above */
    const char *part;       /* the part that is counted: encoder, decoder or
                               cross; or NULL */
    const char *biases;     /* the maps that have a bias, of "qkvo" */
    const char *tensors[4]; /* names of q, k, v and o, with # for the layer's
                               number; several may be in one tensor */
    const char *norm;       /* the name of the norm that only these maps read,
                               with # for the layer's number; "-" if there is
                               none */
    const char *ignores;    /* the sizes that its family's program ignores */
    const char *function;   /* the keys that make it another function than a
                               run of its shape, and why; or NULL */
    const char *compared;   /* the keys that two models of its shape must share
                               to be the same function, and why; or NULL */
    struct Published *each; /* a model's layers */
    int rotated_layers;     /* of a model: how many layers are rotated */

    int layers, d_model, heads, d_k, d_v, rope, latent, groups;
    int query_latent, kdim, vdim, window, encoders, decodes, shared;
    int keys_are_values, adjacent, linear, buckets, unit_norm;
    int head, equal_groups, windows, every, softmax_every, global_from, biased;
    int one_group, own_groups, rotates, unrotated_every;
    double state; /* how many numbers it keeps, for any number of tokens */
} Published;

/* Returns whether the layer's family has a feature, one of the words of
   Published.has. */
bool published_has(const Published *p, const char *feature);

/* Reads the text of a config.json, which it overwrites; `name` is the model's
   name in messages. Fails and names the key if one is wrong or unsupported;
   notes the keys that it does not know. `part` says which part of a composite
   model, or of an encoder-decoder, is counted; NULL means the text model of a
   composite model, or a model of one part. The result is kept until the program
   ends. */
Published published_parse(const char *name, char *text, const char *part);

/* Reads the config.json at `path` as published_parse does if `part` is NULL. */
Published published_read(const char *path);

/* In words, the first key by which two models differ in the shape or the
   function of attention, with both values; NULL if there is none. */
char *published_difference(const Published *a, const Published *b);

/* The text of the model's config.json, in which num_key_value_heads is
   `groups`. Fails if that key does not give every layer `groups` heads of keys
   and values. */
char *published_with_groups(const Published *p, int groups);

/* The settings that give a run the layer's shape, without latents. */
char *published_settings(const Published *p);

/* The account of a model's attention, in all layers. */
typedef struct Account {
    double stored;     /* parameters */
    double gauge;      /* parameters that change nothing, as `qkv count --real`
                          counts them */
    double flops;      /* of one token that sees `tokens` tokens */
    double cache;      /* how many numbers a decoder keeps of `tokens` tokens */
    double unwindowed; /* how many numbers a decoder would keep if no layer had
                          a window */
    double state;      /* how many numbers a layer without softmax keeps, for
                          any number of tokens */
} Account;
Account published_account(const Published *model, int tokens);

/* For the accounts of parameters, whose number does not depend on the tokens
   that are seen. */
enum { ANY_LENGTH = 1 };

/* Adds the account of one layer to a sum. */
void account_add(Account *sum, const Published *layer, int tokens);

#endif
