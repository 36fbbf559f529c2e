/* plugin.h - a variant, loaded from its shared object: what it declares, and
   its equation. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdbool.h>

#include <qkv/real.h>
#include <qkv/variant.h>

enum { NAME_SIZE = 64, PART_SIZE = 32, MOST_OWN = 8, USES_SIZE = 512 };

/* The characters of names that become files and columns. None of them is
   special in a shell or in gnuplot. */
#define NAME_LETTERS \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+"

/* Would two matrices with these names be in one file? Its name has _ for ^. */
bool one_file(const char *a, const char *b);

/* Loads the shared object at `path`, and checks that this program can use it.
   `binding` is RTLD_NOW, so that a function that this program lacks is reported
   at once; or RTLD_LAZY, for a program without the functions that a variant's
   `fit` calls, which never calls `fit`. Exits with what is wrong. */
const Variant *plugin_load(const char *path, int binding);

/* A matrix. A variant declares it under its own name, "W^Q". A model adds the
   part that it belongs to, and its values. The matrices of one part are drawn
   from one random stream. */
typedef struct Weight {
    char part[PART_SIZE];             /* "block0.attention" */
    char name[NAME_SIZE + PART_SIZE]; /* "block0.attention.W^Q" */
    int rows, cols;
    bool attention;         /* declared by a variant */
    double mean, deviation; /* of its initial entries */
    real *value, *gradient;
} Weight;

struct Weights {
    Weight *list;
    int count, room;
};

/* The matrices that the variant declares for attention `a`; free the list. */
Weights weights_declared(const Variant *v, const Attention *a);

/* Calls the variant's forward. Aborts unless the result has x's shape. */
Node *plugin_forward(const Variant *v, Attention *a, Node *x, Node *y,
                     Node **w);

#endif
