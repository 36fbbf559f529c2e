/* plugin.h - a variant, loaded from its shared object: what it declares, and
   its equation. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdbool.h>

#include <qkv/real.h>
#include <qkv/variant.h>

/* The most bytes, including the final 0, of a matrix's name, of a part's name
   ("block0.attention"), and of a variant's list of settings; and the most
   settings in such a list. */
enum { NAME_SIZE = 64, PART_SIZE = 32, USES_SIZE = 512, MOST_OWN = 8 };

/* The characters of names that become names of files and of columns. None of
   them is special in a shell or in gnuplot. */
#define NAME_LETTERS \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+"

/* The file of a matrix is named after it. Returns the letter of the file's name
   for a letter of the matrix's name: _ for ^, and otherwise the same. */
char file_letter(char letter);

/* Would matrices with these two names be saved in the same file? */
bool same_file(const char *a, const char *b);

/* Loads the shared object at `path`, and checks that this program can use it;
   if not, fails with the reason. With RTLD_NOW as `binding`, a function that
   the plugin calls and this program lacks is reported at once. RTLD_LAZY is for
   a program that lacks the functions that a variant's `fit` calls, and never
   calls `fit`. */
const Variant *plugin_load(const char *path, int binding);

/* A matrix of weights. A variant declares it with a name such as "W^Q", a
   shape, and the distribution of its initial entries. A model adds the part
   that it belongs to, and its values. The matrices of one part are drawn from
   one random stream. */
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
    int count, capacity;
};

/* The matrices that the variant declares for attention `a`. The caller frees
   the list. */
Weights weights_declared(const Variant *v, const Attention *a);

/* A variant finds this after the last of its matrices. */
Node *undeclared(struct Tape *t);

/* Calls the variant's forward. Aborts unless the result has x's shape. */
Node *plugin_forward(const Variant *v, Attention *a, Node *x, Node *y,
                     Node **w);

#endif
