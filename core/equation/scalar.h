/* scalar.h - the numbers of an equation, and the widths of its matrices.

   A scalar is a tree of numbers, sizes (d_k, h) and settings, such as
   1 / sqrt(d_k). A width is a scalar that may not be known yet. If a product
   needs two widths to be equal, they become one, so that a size found for one
   of them holds for both. */
#ifndef SCALAR_H
#define SCALAR_H

#include <qkv/attend.h>

#include "equation/parse.h"

/* A size that an equation may name. */
typedef struct Size {
    const char *name;   /* "h", in an equation */
    const char *option; /* "heads", in Variant.shape; NULL: it has no option */
    const char *field;  /* "heads", in Attention */
    size_t offset; /* offset of that field in Attention; the field is an int */
} Size;
extern const Size sizes[];
extern const int size_count;

/* The size of this name, or NULL. */
const Size *size_named(const char *name);

/* The setting that an equation means by a name: "query-rank" for query_rank. */
const char *setting_name(const char *name);

/* Does a name mean one of the settings that the equation declares? */
bool has_setting(const EquationText *e, const char *name);

/* Is t a number, a size, a setting, or an operator that makes a scalar if all
   of its operands are scalars? It does not look at the operands. */
bool is_scalar_kind(const EquationText *e, const Tree *t);

/* The value of a scalar at the sizes and settings of `a`. */
double scalar_value(const Tree *t, const Attention *a);

/* The text of a scalar, such as "2 d_k", for messages. */
const char *scalar_text(const Tree *t);

/* Does a scalar contain this name? NULL contains none. */
bool scalar_mentions(const Tree *t, const char *name);

/* Are two scalars equal whatever the sizes are? NULL equals only NULL. */
bool equal_scalars(const EquationText *e, const Tree *s, const Tree *t);

typedef struct Width {
    struct Width *equal_to; /* another width that has become one with this; NULL
                               if none has. Only the last width of such a chain
                               uses the fields below. */
    Tree *value;            /* NULL: not known yet */
    bool of_keys;           /* it is the width of queries and keys */
    bool of_values;         /* it is the width of values */
    Tree *radicand; /* n, if it is the width of queries whose scores are divided
                       by sqrt(n); otherwise NULL */
} Width;

/* A new width, which is not known yet if `value` is NULL. */
Width *width_new(Tree *value);

/* The scalar that the width is, or NULL. */
Tree *width_known(Width *w);

/* Makes two widths equal. Exits if they cannot be. The message about this
   `place` begins with `rule`, which says why they must be equal. */
void require_equal(const EquationText *e, Width *v, Width *w, const char *place,
                   const char *rule);

/* Note that a width is that of queries and keys, or of values. `radicand` is n
   if the scores are divided by sqrt(n), and otherwise NULL. */
void note_keys(Width *w, Tree *radicand);
void note_values(Width *w);

/* Gives a width that is still unknown its default. For queries and keys this is
   the radicand, or d_k if there is none; for values it is d_v; for anything
   else d_model. A width of both keys and values counts as one of keys. */
void choose_default_width(Width *w);

#endif
