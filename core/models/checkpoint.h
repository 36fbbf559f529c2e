/* checkpoint.h - the tensors of a model as it is published: a directory with
   model.safetensors, or with several such files, its shards, and
   model.safetensors.index.json, which says what is in which.
   https://github.com/huggingface/safetensors#format

   The files are mapped, not read, so what is not looked at costs nothing. What
   is written changes this process's copy only: checkpoint_write puts it on
   disk. A file is data: each tensor must be within its file and overlap no
   other one, and an index names files of its own directory only. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_DIMENSIONS = 8 };

typedef struct Tensor {
    const char *name;
    const char *type; /* "F32" */
    int width;        /* bytes of an entry */
    int dimensions;
    double shape[MOST_DIMENSIONS];
    unsigned char *at;
    size_t size; /* bytes */
} Tensor;

typedef struct Shard Shard;
typedef struct Checkpoint {
    const char *directory;
    Shard *shards;
    Tensor *tensors; /* in the order of their places */
    int shard_count, count, room;
} Checkpoint;

/* Fails with what is wrong. The directory's name stays the caller's. */
Checkpoint checkpoint_open(const char *directory);
void checkpoint_close(Checkpoint *c);

/* NULL where there is none of that name. */
Tensor *tensor_named(const Checkpoint *c, const char *name);

/* One entry of an F64, F32, F16 or BF16 tensor; an F32 one can be set. */
#define READABLE "F64,F32,F16,BF16"
double tensor_entry(const Tensor *t, size_t i);
void tensor_set(Tensor *t, size_t i, double value);

/* Writes the directory TO, which must not be there, whole or not at all: the
   shards as they are now, and with them the configuration and the tokenizer. */
void checkpoint_write(const Checkpoint *c, const char *to);

#endif
