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

/* A tensor. Its shape, type and place are only known once tensor_ending has
   found it; until then, `first` is the byte after the header of its file. */
typedef struct Tensor {
    char *name;
    char *description;  /* the file's description of the tensor, in JSON; NULL
                           if this entry is the file itself */
    unsigned char *map; /* the file */
    size_t size;        /* of the file, in bytes */
    size_t first;       /* the first byte of the tensor in the file */
    double shape[2];    /* rows and columns; of a vector, its length and 0 */
    enum { F32, F16, BF16 } type;
    int rows_kept; /* how many rows are written; 0 means all */
} Tensor;

/* As the number of rows: the tensor is a vector. */
enum { VECTOR = 0 };

typedef struct Checkpoint {
    const char *directory;
    Tensor *tensors; /* the entries of all files: first the file, then its
                        tensors */
    int count, capacity;
} Checkpoint;

/* Opens a directory. Fails, and says what to do, if it has no .safetensors. The
   caller keeps the directory's name; the files are mapped until the program
   ends. */
Checkpoint checkpoint_open(const char *directory);

/* The tensor whose name ends in this one, after any prefix
   ("bert.encoder.layer.0..."). If several models in the files have one, it is
   the one of a composite model's part for texts. Fails if two tensors could be
   meant, or if one is there twice, as in the files of two models. Returns NULL
   if there is none, or none that can be read as `rows` x `cols` numbers, or as
   a vector of `cols` numbers if `rows` is VECTOR. The result is kept until the
   program ends. */
Tensor *tensor_ending(const Checkpoint *c, const char *ending, int rows,
                      int cols);

/* Entry i of a tensor, row by row. Fails if it is infinite or NaN. */
double tensor_entry(const Tensor *t, size_t i);

/* Sets entry i to the value, rounded to the tensor's type. Fails if the value
   is too large for this type. */
void tensor_set(Tensor *t, size_t i, double value);

/* From now on, only the first `rows` rows of the tensor are written, or the
   first `rows` numbers of a vector. */
void tensor_keep_rows(const Checkpoint *c, const Tensor *t, int rows);

/* Fails if `to` already exists. Commands call this before they compute what
   could not be written. */
void refuse_existing(const char *to);

/* Writes the directory `to`, which must not exist yet, whole or not at all: the
   shards as they are now, the tokenizer, and the configuration, which is
   `config` unless that is NULL. Weights in other formats, which would be the
   old ones, are not copied, nor are links, which a note names. */
void checkpoint_write(const Checkpoint *c, const char *to, const char *config);

#endif
