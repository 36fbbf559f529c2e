/* checkpoint.h - the tensors of a model as it is published: a directory with
   model.safetensors, or with several such files, its shards.
   https://github.com/huggingface/safetensors#format

   The files are mapped, not read, so a tensor that nobody looks at costs
   nothing. Writing to a tensor changes only this process's copy;
   checkpoint_write puts it on disk. A file is data: each tensor must be within
   its file. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include <stddef.h>

#include "base/words.h"

typedef struct Tensor {
    const char *name;
    const char *type; /* "F32" */
    double shape[2];  /* of a vector the second is 0 */
    unsigned char *at;
    size_t size; /* bytes */
} Tensor;

typedef struct Shard {
    const char *name;
    unsigned char *map;
    size_t size, data; /* data: where the tensors begin */
} Shard;

typedef struct Checkpoint {
    const char *directory;
    Values files; /* all that are there */
    Shard *shards;
    Tensor *tensors;
    int shard_count, shard_room, count, room;
} Checkpoint;

/* Fails with what is wrong. The directory's name stays the caller's, and the
   files are mapped until the program ends. */
Checkpoint checkpoint_open(const char *directory);

/* The tensor with this name, or whose name ends in it with the shortest prefix
   ("bert.encoder.layer.0..."); NULL if there is none. Fails unless it has (rows
   x cols) entries, or cols if rows is 0. */
Tensor *tensor_ending(const Checkpoint *c, const char *name, int rows,
                      int cols);

/* One entry, which is finite; only entries of an F32 tensor can be set. */
double tensor_entry(const Tensor *t, size_t i);
void tensor_set(Tensor *t, size_t i, double value);

/* Writes the directory TO, which must not be there, whole or not at all: the
   shards as they are now, and with them the configuration and the tokenizer. */
void checkpoint_write(const Checkpoint *c, const char *to);

#endif
