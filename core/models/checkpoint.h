/* checkpoint.h - the tensors of a model as it is published: a directory with
   model.safetensors, or with several such files, its shards.
   https://github.com/huggingface/safetensors#format

   The files are mapped, not read, so a tensor that nobody looks at costs
   nothing, and no other file of the directory is opened. Writing to a tensor
   changes only this process's copy; checkpoint_write puts it on disk. A file is
   data: a tensor is there only if the file has it as config.json makes it, and
   all of it is within the file. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include <stddef.h>

/* A tensor. Until it is asked for, only its file, its name and what the file
   says of it are known, and it is taken to begin where all tensors do. */
typedef struct Tensor {
    char *name, *said;
    unsigned char *map; /* the file */
    size_t size, first; /* bytes of the file; the tensor's first one */
    double shape[2];    /* of a vector the second is 0 */
    enum { F32, F16, BF16 } type;
    int kept; /* so many rows of it are written, 0: all */
} Tensor;

typedef struct Checkpoint {
    const char *directory;
    Tensor *tensors; /* and the files themselves, of which nothing is said */
    int count, room;
} Checkpoint;

/* Fails with what is wrong, or with what is there instead. The directory's name
   stays the caller's, and the files are mapped until the program ends. */
Checkpoint checkpoint_open(const char *directory);

/* The tensor whose name ends in this one, with the shortest prefix
   ("bert.encoder.layer.0..."); NULL unless it is there, and has (rows x cols)
   numbers, or cols if rows is 0, which can be read here. It lasts as long as
   the program. */
Tensor *tensor_ending(const Checkpoint *c, const char *name, int rows,
                      int cols);

/* One entry, which is finite; only entries of an F32 tensor can be set. */
double tensor_entry(const Tensor *t, size_t i);
void tensor_set(Tensor *t, size_t i, double value);

/* From now on the tensor is written without its rows from this one on, or
   without these numbers if it is a vector. */
void tensor_cut(const Checkpoint *c, const Tensor *t, int rows);

/* Writes the directory TO, which must not be there, whole or not at all: the
   shards as they are now, the tokenizer, and the configuration, which is this
   text unless it is NULL. Weights in other formats, which would be the old
   ones, stay behind, and so do links, which it names. */
void checkpoint_write(const Checkpoint *c, const char *to, const char *config);

#endif
