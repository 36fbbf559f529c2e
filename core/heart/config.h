/* config.h - the settings of a run: the task, the shape of the model, how it is
   trained. */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdint.h>

#include "heart/plugin.h"

enum { NORM_NONE, NORM_PRE, NORM_RMS };
enum { MASK_NONE, MASK_CAUSAL };
enum {
    POSITIONS_NONE,
    POSITIONS_LEARNED, /* vectors that are added to the tokens */
    POSITIONS_ROPE,    /* in the scores: training/positions.h */
    POSITIONS_ALIBI
};

typedef struct Config {
    const char *variant, *task;
    int seed;
    /* The task's sequences: their length, and the number of symbols and of
       values in them. */
    int length, symbols, values;
    /* The shape of attention (<qkv/attend.h>); then the model around it:
       `layers` is its number of blocks, and an MLP is `mlp` times as wide as a
       token (0: no MLP). */
    int d_model, heads, kv_heads, d_k, d_v, latent;
    int layers, mlp, norm, positions, residual, mask;
    const char *settings; /* the variant's own: "window=4" */
    /* Training. */
    int batch, steps;
    double lr, beta1, beta2;
    /* Steps from one line of the log to the next, and numbers of sequences for
       validation at each line, and for the test at the end. */
    int log_every, validate, test;

    /* The heart does not read the rest. Texts are interned (base/words.h), so
       a config can be copied. */
    const char *file; /* or "" */
    const char *from; /* the run whose weights it began with, or "" */
    const char *init; /* factors on initial weights, "W_Q=0.1+W_K=0.1", or "" */
    const char *equation;   /* of a variant that is NAME.eq, or "" */
    const char *log;        /* additional columns, "attention+rank", or "" */
    const char *same_start; /* the variant whose function it begins as, or "" */
    int queries, members, encoder, cross, embed, optimizer, schedule, warmup;
    double momentum, weight_decay;
    double threshold;                /* accuracy at which a task is solved */
    int precision;                   /* of the program that trained it */
    uint64_t plugin_hash, file_hash; /* of the bytes of plugin and file */
} Config;

/* The settings of a task that does not override them. */
#define USUAL                                                               \
    .variant = "standard", .seed = 1, .symbols = 10, .values = 16,          \
    .d_model = 32, .heads = 4, .layers = 1, .positions = POSITIONS_LEARNED, \
    .residual = 1, .batch = 32, .steps = 300, .lr = 0.003, .beta1 = 0.9,    \
    .beta2 = 0.999, .log_every = 10, .validate = 64, .test = 1024,          \
    .members = 4, .threshold = 0.99

/* The index of the word in a list, "heads d-k d-v" or "1,2,4", or -1. */
int index_in(const char *list, const char *word);

/* The description of attention that a variant of this .shape gets. A number of
   the config that is not 0 is used unchanged. If it is 0 and the variant uses
   it, d_k and d_v become d_model / heads, kv_heads heads / 2, and latent
   d_model / 2, rounded up. If it is 0 and the variant does not use it, a number
   of heads becomes 1, and a width d_model. Positions in the scores are left
   out. */
Attention attention_of(const Config *c, const char *shape);

#endif
