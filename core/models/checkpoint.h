/* checkpoint.h - the tensors of a published model: a directory with
   model.safetensors or with several such files, its shards.
   https://github.com/huggingface/safetensors#format

   The files are mapped into memory, not read, so a tensor that nobody looks at
   costs nothing. Writing to a tensor changes only this process's copy of the
   file; checkpoint_write puts it on disk. A file may be damaged: a tensor is
   accepted only if it has the shape that follows from config.json, and if all
   of it is within the file. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include <stddef.h>

/* A tensor, or a file (Checkpoint.tensors). The shape, the type and the first
   byte of a tensor are only set in the copy that tensor_ending returns. */
typedef struct Tensor {
    char *name;
    char *description;  /* the tensor's part of the header, in JSON; NULL if
                           this entry is the file itself */
    unsigned char *map; /* the bytes of the file */
    size_t size;        /* how many bytes the file has */
    size_t data;        /* the index in `map` of the byte after the header */
    size_t first;       /* the index in `map` of the tensor's first byte */
    double shape[2];    /* rows and columns; of a vector, its length and 0 */
    enum { F32, F16, BF16 } type;
    int rows_kept; /* how many rows are written; 0 means all */
} Tensor;

/* The number of rows to give for a vector. */
enum { VECTOR = 0 };

typedef struct Checkpoint {
    const char *directory;
    Tensor *tensors; /* for each file an entry for itself, then one for each
                        of its tensors */
    int count, capacity;
} Checkpoint;

/* Opens a directory. Fails, and says what to do, if it has no .safetensors. The
   caller keeps the directory's name; the files are mapped until the program
   ends. */
Checkpoint checkpoint_open(const char *directory);

/* The tensor whose name ends in `ending`, after any prefix ("bert."). If
   several do, but only one of them is in the text part of a composite model,
   that one is meant. Fails if it is not clear which is meant, or if a tensor is
   there twice, as in the files of two models. Returns NULL if there is none, if
   its type is not F32, F16 or BF16, or if it is not a matrix of `rows` x `cols`
   numbers or, if `rows` is VECTOR, a vector of `cols` numbers. The result is
   kept until the program ends. */
Tensor *tensor_ending(const Checkpoint *c, const char *ending, int rows,
                      int cols);

/* Entry i of a tensor; entries are counted row by row. Fails if it is infinite
   or NaN. */
double tensor_entry(const Tensor *t, size_t i);

/* Sets entry i to the value, rounded to the tensor's type. Fails if the value
   is too large for this type. */
void tensor_set(Tensor *t, size_t i, double value);

/* Makes checkpoint_write write only the first `rows` rows of the tensor, or the
   first `rows` numbers of a vector. */
void tensor_keep_rows(const Checkpoint *c, const Tensor *t, int rows);

/* Fails if `to` already exists. Commands call this early, so that they do not
   compute for nothing. */
void refuse_existing(const char *to);

/* Writes the directory `to`, which must not exist yet, whole or not at all: the
   shards with the changed tensors, the tokenizer, and config.json, with the
   text `config` unless that is NULL. Weights in other formats are not copied,
   because they would be the old ones. Nor are links, except config.json; a note
   names them. */
void checkpoint_write(const Checkpoint *c, const char *to, const char *config);

#endif
