/* published.h - published models, as their config.json describes them.

   All facts about models are in tables beside this file:
   - families.tsv describes the attention of each model_type, a family, and
     names its tensors and its source. Its column `every` is n if every n-th
     layer sees all tokens and the others have a window or no softmax, 0 if no
     layer differs in this from the others, and -1 if config.json must say which
     layers do
   - states.tsv has the size of the state of layers without softmax
   - refused.tsv says why a model_type is not counted
   - keys.tsv says what the keys of a config.json mean, and which layers they
     describe
   - published.tsv has models whose sizes are in a paper, in the form of a
     config.json
   A key or a model_type that is in no table is reported by name; nothing is
   guessed.

   A model is a list of layers, each with its own sizes. So all models are
   counted in the same way, layer by layer, even if they have local and global
   layers, layers that use the keys of others, or an encoder before a decoder.
 */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include <stdbool.h>

/* One layer. A model is its first layer, whose `each` points to the array of
   all layers.

   The words of `has`, the features of the family:
   - encodes: it is an encoder, which caches nothing
   - rope: queries and keys are rotated; local-rope: they are rotated only in
     layers with a window, if there are any
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
   - parts: it has two parts, an encoder and a decoder
   - whole: the formula for the whole model is known (published_whole.h)

   The sizes of a layer; 0 means none or, as an answer, no:
   - groups: heads of keys and values, each shared by a group of heads
   - d_k, d_v: the columns of a head's key and value
   - rope: rotated columns of a head; d_k includes them, except with a latent
   - latent: columns of the latent that keys and values are made from
   - query_latent: columns of the latent that queries are made from
   - kdim, vdim: the widths of the rows that keys and values are made from
   - window: the most tokens that it sees
   - in_encoder: is it in an encoder, which caches nothing?
   - decodes: is it a decoder, although its family encodes?
   - shared: does it use the keys and values of an earlier layer?
   - keys_are_values: are values the keys before norms and positions?
   - adjacent: are the two columns of a rotated pair adjacent in the tensors?
   - linear: is it without softmax, so that only its state is counted?
   - buckets: ranges of distances, each with a bias for each head
   - unit_norm: are q and k normed after the rotation, without gains?
   The sizes from `head` on are as config.json gives them. They are only needed
   to find the others (published.c). */
typedef struct Published {
    const char *name;       /* its name in published.tsv, or the file's path */
    const char *type;       /* its model_type */
    const char *has;        /* words, see above */
    const char *part;       /* the part that is counted: encoder, decoder or
                               cross; or NULL */
    const char *biases;     /* the maps that have a bias: letters of "qkvo", or
                               "-" */
    const char *tensors[4]; /* the names of the tensors of q, k, v and o, with #
                               for the layer's number; several names may be
                               equal */
    const char *norm;       /* the name of the norm whose output only the maps
                               of q, k and v read, with # for the layer's
                               number; "-" if there is none */
    const char *ignores;    /* the sizes that its family's program ignores */
    const char *function;   /* the keys that make it another function than a
                               run of its shape, and why; or NULL */
    const char *compared;   /* more keys in which two layers of its shape must
                               agree to be one function, and why; or NULL */
    struct Published *each; /* the layers of the model */
    int rotated_layers;     /* how many of its layers are rotated; only set in
                               the first layer, which is the model */

    int layers, d_model, heads, d_k, d_v, rope, latent, groups;
    int query_latent, kdim, vdim, window, in_encoder, decodes, shared;
    int keys_are_values, adjacent, linear, buckets, unit_norm;
    int head, equal_groups, windows, every, softmax_every, global_from, biased;
    int one_group, own_groups, rotates, unrotated_every;
    int encoder_layers, shared_layers; /* how many, at the beginning and end */
    double state; /* how many numbers a layer without softmax keeps, for any
                     number of tokens */
} Published;

/* Returns whether the layer's family has a feature, one of the words of
   Published.has. */
bool published_has(const Published *p, const char *feature);

/* Reads the text of a config.json, and overwrites it. Messages call the model
   `name`. A key that is wrong or unsupported is an error; a note lists the keys
   that the counts leave out, such as unknown ones. `part` is the part to count
   of a composite model or of an encoder-decoder; NULL means the text part of a
   composite model, or a model without parts. The result is kept until the
   program ends. */
Published published_parse(const char *name, char *text, const char *part);

/* Reads the config.json at `path` as published_parse does if `part` is NULL. */
Published published_read(const char *path);

/* In words, the first key by which two models differ in the shape or the
   function of attention, with both values; NULL if there is none. */
char *published_difference(const Published *a, const Published *b);

/* The text of the model's config.json with num_key_value_heads changed to
   `groups`. Fails if that key does not give every layer `groups` heads of keys
   and values. */
char *published_with_groups(const Published *p, int groups);

/* The settings that give a run the shape of a layer without latents. */
char *published_settings(const Published *p);

/* What the attention of a model stores and costs, in all layers together. */
typedef struct Account {
    double stored;     /* parameters */
    double gauge;      /* parameters that can change without changing the
                          output, as `qkv count --real` counts them */
    double flops;      /* for one token that sees `tokens` tokens */
    double cache;      /* how many numbers a decoder keeps of `tokens` tokens */
    double unwindowed; /* how many it would keep if no layer had a window */
    double state;      /* how many numbers the layers without softmax keep */
} Account;
Account published_account(const Published *model, int tokens);

/* The argument `tokens` of a caller that needs only numbers of parameters,
   which do not depend on the tokens. */
enum { ANY_LENGTH = 1 };

/* Adds the account of one layer to a sum. */
void account_add(Account *sum, const Published *layer, int tokens);

#endif
