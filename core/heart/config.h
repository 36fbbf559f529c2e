/* config.h - the settings of a run: the task, the shape of the model, how it is
   trained; and their defaults (USUAL). */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdint.h>

#include "heart/plugin.h"

/* Config.norm: the norm before attention, before the MLP and before the map to
   logits is none, LayerNorm, or RMSNorm (which the heart does not have).
   Config.mask: a token sees all tokens, or only itself and earlier ones.
   Config.positions: a model ignores positions, adds a learned vector for each
   position to its token, or puts positions into the scores (which the heart
   does not do: training/rope_and_alibi.h). */
enum { NORM_NONE, NORM_PRE, NORM_RMS };
enum { MASK_NONE, MASK_CAUSAL };
enum { POSITIONS_NONE, POSITIONS_LEARNED, POSITIONS_ROPE, POSITIONS_ALIBI };

typedef struct Config {
    const char *variant, *task; /* their names */
    int seed;
    /* The task's sequences: their length, in a unit that each task defines, and
       the numbers of symbols and of values that can occur in them. */
    int length, symbols, values;
    /* The shape of attention (<qkv/attend.h>). attention_of replaces a 0. */
    int d_model, heads, kv_heads, d_k, d_v, latent;
    /* The model around it. It has `layers` blocks. `mlp` is the width of an
       MLP, in units of d_model (0: no MLP). If `residual`, a block computes x +
       attention(x) instead of attention(x). */
    int layers, mlp, norm, positions, residual, mask;
    const char *settings; /* values of the variant's settings: "window=4" */
    /* Training: sequences in a batch, number of steps, and Adam's settings. */
    int batch, steps;
    double lr, beta1, beta2;
    /* Steps from one row of the log to the next, and numbers of sequences for
       validation at each row, and for the test at the end. */
    int log_every, validate, test;

    /* The heart does not read the rest. Texts are interned (base/words.h), so
       a config can be copied. */
    const char *file; /* the text that the task reads, or "" */
    const char *from; /* the run whose weights it started with, or "" */
    const char *init; /* factors on initial weights, "W_Q=0.1+W_K=0.1", or "" */
    const char *equation;   /* the text of a variant NAME.eq, or "" */
    const char *log;        /* more columns of the log, "attention+rank" */
    const char *same_start; /* the variant whose function it starts as, or "" */
    int queries, members, encoder, cross, embed, optimizer, schedule, warmup;
    /* `threshold` is the accuracy at which a task is solved. */
    double momentum, weight_decay, threshold;
    int precision;                   /* of the program that trained it */
    uint64_t plugin_hash, file_hash; /* of the bytes of the plugin and `file` */
} Config;

/* The usual settings. A task overrides some of them. */
#define USUAL                                                               \
    .variant = "standard", .seed = 1, .symbols = 10, .values = 16,          \
    .d_model = 32, .heads = 4, .layers = 1, .positions = POSITIONS_LEARNED, \
    .residual = 1, .batch = 32, .steps = 300, .lr = 0.003, .beta1 = 0.9,    \
    .beta2 = 0.999, .log_every = 10, .validate = 64, .test = 1024,          \
    .members = 4, .threshold = 0.99

/* The index of `word` in a list of words that are separated by spaces or
   commas, "heads d-k d-v" or "1,2,4"; -1 if it is not there. */
int index_in(const char *list, const char *word);

/* Describes the attention of c to a variant. `shape` is the variant's list of
   the shape options that it uses (Variant.shape). A number or width of c that
   is not 0 is used unchanged. `heads` becomes 1 if it is 0. If another one is 0
   and its option is in `shape`, d_k and d_v become d_model / heads, kv_heads
   becomes heads / 2, and latent d_model / 2, both rounded up; if its option is
   not in `shape`, kv_heads becomes 1, and a width d_model. `layers` becomes 1,
   which a model with more blocks changes, and `relative` is left NULL. */
Attention attention_of(const Config *c, const char *shape);

#endif
