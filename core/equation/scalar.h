/* scalar.h - the numbers of an equation, and the widths of its matrices.

   A scalar is a tree of numbers, sizes (d_k, h) and settings. A width is a
   scalar that may not be known yet. If a product needs two widths to be equal,
   they become one, so that a size found for one of them holds for both. */
#ifndef SCALAR_H
#define SCALAR_H

#include <qkv/attend.h>

#include "equation/tree.h"

/* The sizes that an equation may name, and the words of .shape for those that
   are options. */
typedef struct Size {
    const char *name, *option;
    const char *field; /* the field of Attention that has the size */
    size_t offset;     /* its place in Attention */
} Size;
extern const Size sizes[];
extern const int size_count;

const Size *size_named(const char *name);

/* An equation writes query_rank for the setting "query-rank". Does its list of
   settings have that? */
const char *setting_name(const char *name);
bool has_setting(const EquationText *e, const char *name);

/* Can a scalar be a tree of this kind, if all of its operands are scalars? */
bool is_scalar_kind(const EquationText *e, const Tree *t);

double scalar_value(const Tree *t, const Attention *a);

/* "d_k", "2 d_k": for messages. */
const char *scalar_text(const Tree *t);

/* Does it depend on the size of that name? */
bool scalar_names(const Tree *t, const char *name);

/* Are two scalars, either of which may be NULL, equal whatever the sizes are?
   They are compared by their values at sizes of which no two small products are
   equal. */
bool equal_numbers(const EquationText *e, const Tree *s, const Tree *t);

typedef struct Width {
    struct Width *same; /* the width that this one is equal to; NULL: none */
    Tree *value;        /* NULL: not known */
    bool of_keys;       /* it is the width of queries and keys */
    bool of_values;     /* it is the width of values */
    Tree *root; /* the scores were divided by the root of this, or NULL */
} Width;

Width *width_new(Tree *value);

/* The scalar that it is, or NULL. */
Tree *width_known(const Width *w);

/* Notes that two widths are equal; exits if they cannot be. `rule` says why
   they have to be. */
void make_equal(const EquationText *e, Width *v, Width *w, const char *at,
                const char *rule);

/* Note that a width is that of queries and keys, or of values. `root` is the
   number under the square root that divides the scores, or NULL. */
void note_keys(Width *w, Tree *root);
void note_values(Width *w);

/* Gives a width that is still unknown its usual value. The width of queries and
   keys is the number under the root that divides their scores, or d_k if there
   is no root; that of values is d_v; any other is d_model. A width of both
   keys and values counts as one of keys. */
void choose_width(Width *w);

#endif
