/* plugin.h - a variant, loaded from its shared object: what it declares, and
   its equation. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdbool.h>

#include <qkv/real.h>
#include <qkv/variant.h>

enum { NAME_SIZE = 64, PART_SIZE = 32, MOST_OWN = 8, USES_SIZE = 512 };

/* What names that become files and columns are made of: no shell and no gnuplot
   sees more in them. */
#define NAME_LETTERS \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+"

/* Do the names of two matrices make one file, which has _ for ^? */
bool one_file(const char *a, const char *b);

/* Loads the shared object at `path`, and checks that this program can use it.
   `binding` is RTLD_NOW, so that a function that this program lacks is reported
   at once; or RTLD_LAZY, for a program without the functions that a variant's
   `fit` calls, which never calls `fit`. Exits with what is wrong. */
const Variant *plugin_load(const char *path, int binding);

/* A matrix: as a variant declares it, under its own name, "W^Q"; or as a model
   has it, with its part and its values. Those of a part are drawn from one
   stream. */
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

/* What the variant declares for attention `a`; free its list. */
Weights weights_declared(const Variant *v, const Attention *a);

/* Its forward. Aborts unless what it returns has the shape of x. */
Node *plugin_forward(const Variant *v, Attention *a, Node *x, Node *y,
                     Node **w);

#endif
