/* scalar.h - the numbers of an equation, and the widths of its matrices.

   A scalar is a tree of numbers, sizes (d_k, h) and settings, such as
   1 / sqrt(d_k). A width is the number of rows or columns of a matrix: a scalar
   that may not be known yet. If a product needs two widths to be equal, they
   become one, so that a value found for one of them holds for both. */
#ifndef SCALAR_H
#define SCALAR_H

#include <qkv/attend.h>

#include "equation/parse.h"

/* A size that an equation may name. */
typedef struct Size {
    const char *name;   /* in an equation: "h" */
    const char *option; /* in Variant.shape: "heads"; NULL: it has no option */
    const char *field;  /* in Attention: "heads", an int */
    size_t offset;      /* of that field in Attention, in bytes */
} Size;
extern const Size sizes[];
extern const int size_count;

/* The size with this name; NULL if there is none. */
const Size *size_named(const char *name);

/* The setting that a name in an equation means: "query-rank" for query_rank. */
const char *setting_name(const char *name);

/* Does a name mean one of the settings that the equation declares? */
bool has_setting(const EquationText *e, const char *name);

/* Is t a number, a size, a setting, or an operator that makes a scalar if all
   of its operands are scalars? The operands themselves are not examined. */
bool is_scalar_kind(const EquationText *e, const Tree *t);

/* The value of a scalar at the sizes and settings of `a`. */
double scalar_value(const Tree *t, const Attention *a);

/* The text of a scalar, such as "2 d_k", for messages. */
const char *scalar_text(const Tree *t);

/* Does a scalar contain this name? NULL contains none. */
bool scalar_mentions(const Tree *t, const char *name);

/* Are two scalars equal at all sizes, with the settings at their defaults? NULL
   equals only NULL. */
bool equal_scalars(const EquationText *e, const Tree *s, const Tree *t);

/* Equal widths form a chain. The other fields are used only in its last width,
   whose equal_to is NULL. */
typedef struct Width {
    struct Width *equal_to; /* the next width in the chain */
    Tree *value;            /* NULL: not known yet */
    bool of_keys;           /* whether queries and keys have this width */
    bool of_values;         /* whether values have this width */
    Tree *radicand;         /* n, if the scores of queries of this width are
                               divided by sqrt(n); otherwise NULL */
} Width;

/* A new width, which is not known yet if `value` is NULL. */
Width *width_new(Tree *value);

/* The value of the width, or NULL while it is unknown. */
Tree *width_known(Width *w);

/* Makes two widths equal. If both are known and differ, exits with a message
   that marks `place` and begins with `rule`, which says what must be equal. */
void require_equal(const EquationText *e, Width *v, Width *w, const char *place,
                   const char *rule);

/* note_keys records that queries and keys have this width, and note_values that
   values have it. If the scores are divided by sqrt(n), `radicand` is n,
   otherwise NULL. */
void note_keys(Width *w, Tree *radicand);
void note_values(Width *w);

/* Gives a width that is still unknown its default: for queries and keys the
   radicand, or d_k if there is none; for values d_v; otherwise d_model. If keys
   and values share the width, the default is that of keys. */
void choose_default_width(Width *w);

#endif
