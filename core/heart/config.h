/* config.h - the settings of a run: the task, the shape of the model, how it is
   trained. */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdint.h>

#include "heart/plugin.h"

enum { NORM_NONE, NORM_PRE };
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
    /* The task's sequences: how long they are, and of what. */
    int length, symbols, values;
    /* The shape of attention (<qkv/attend.h>), and the model around it: how
       many blocks, how much wider than a token an MLP is, and the rest. */
    int d_model, heads, kv_heads, d_k, d_v, latent;
    int layers, mlp, norm, positions, residual, mask;
    const char *settings; /* the variant's own: "window=4" */
    /* Training. */
    int batch, steps;
    double lr, beta1, beta2;
    /* A line of the log each so many steps, and the sequences that it is
       validated on; sequences of the test at the end. */
    int log_every, validate, test;

    /* What the heart does not read. Words are interned (base/words.h): a config
       is small, and copied freely. */
    const char *file; /* or "" */
    const char *from; /* the run whose weights it began with, or "" */
    const char *init; /* "W_Q=0.1+W_K=0.1": factors of what weights start as,
                            or "" */
    const char *equation;   /* of a variant that is NAME.eq, or "" */
    const char *log;        /* "attention+rank": what more is logged, or "" */
    const char *same_start; /* the variant whose function it begins as, or "" */
    int queries, members, encoder, cross, embed, optimizer, schedule, warmup;
    double momentum, weight_decay, threshold; /* accuracy of what is solved */
    int precision;                   /* the program's, not to be chosen */
    uint64_t plugin_hash, file_hash; /* of the bytes of either */
} Config;

/* What a task starts with, unless it says otherwise. */
#define USUAL                                                               \
    .variant = "standard", .seed = 1, .symbols = 10, .values = 16,          \
    .d_model = 32, .heads = 4, .layers = 1, .positions = POSITIONS_LEARNED, \
    .residual = 1, .batch = 32, .steps = 300, .lr = 0.003, .beta1 = 0.9,    \
    .beta2 = 0.999, .log_every = 10, .validate = 64, .test = 1024,          \
    .members = 4, .threshold = 0.99

/* Which word of a list, "heads d-k d-v" or "1,2,4", it is; -1 if none. */
int index_in(const char *list, const char *word);

/* What a variant of that .shape sees of a config. A number that is not 0 is
   taken as it is. Where it is 0, and the variant uses it, d_k and d_v are
   d_model / heads, kv_heads is half of heads, and latent half of d_model,
   rounded up; where the variant does not use it, there is one head, and widths
   are d_model. Positions in the scores are left out. */
Attention attention_of(const Config *c, const char *shape);

#endif
