/* checkpoint.h - the tensors of a model as it is published: a directory with
   model.safetensors, or with several such files, its shards.
   https://github.com/huggingface/safetensors#format

   The files are mapped, not read, so a tensor that nobody looks at costs
   nothing, and no other file of the directory is opened. Writing to a tensor
   changes only this process's copy; checkpoint_write puts it on disk. A file is
   data: a tensor is accepted only if it has the shape that follows from
   config.json, and if all of it is within the file. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include <stddef.h>

/* A tensor. Its shape, type and place are read by tensor_ending; until then,
   `first` is the byte at which the tensors of its file begin. */
typedef struct Tensor {
    char *name;
    char *said;         /* the file's description of it, in JSON; NULL: this is
                           no tensor, but the file itself */
    unsigned char *map; /* the file */
    size_t size;        /* of the file, in bytes */
    size_t first;       /* the first byte of the tensor */
    double shape[2];    /* the second is 0 for a vector */
    enum { F32, F16, BF16 } type;
    int kept; /* how many of its rows are written; 0: all */
} Tensor;

typedef struct Checkpoint {
    const char *directory;
    Tensor *tensors; /* of all files: each file's own entry, then its tensors */
    int count, room;
} Checkpoint;

/* Opens a directory. Fails with what is wrong, or with the names of the files
   that it has instead. The caller keeps the directory's name; the files are
   mapped until the program ends. */
Checkpoint checkpoint_open(const char *directory);

/* The tensor whose name ends in this one, behind any prefix
   ("bert.encoder.layer.0..."); if several models in the files have one, that of
   a composite model's part for texts. NULL if there is none, if it does not
   have (rows x cols) numbers, or cols if rows is 0, or if they are of a type
   that cannot be read here. Fails if two tensors could be meant, or one is
   there twice, as in files of two models. It is kept until the program ends. */
Tensor *tensor_ending(const Checkpoint *c, const char *name, int rows,
                      int cols);

/* One entry, which is finite. If it is set, the value is rounded to the
   tensor's type. */
double tensor_entry(const Tensor *t, size_t i);
void tensor_set(Tensor *t, size_t i, double value);

/* From now on, the tensor is written without its rows from this one on, or
   without these numbers if it is a vector. */
void tensor_cut(const Checkpoint *c, const Tensor *t, int rows);

/* Fails if `to` exists already: a caller that asks first computes nothing that
   could not be written. */
void checkpoint_place(const char *to);

/* Writes the directory `to`, which must not exist yet, whole or not at all: the
   shards as they are now, the tokenizer, and the configuration, which is
   `config` unless that is NULL. Weights in other formats, which would be the
   old ones, are not copied, nor are links, which a note names. */
void checkpoint_write(const Checkpoint *c, const char *to, const char *config);

#endif
