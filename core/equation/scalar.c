/* scalar.c - the numbers of an equation, and the widths of its matrices.

   Equal widths form chains by Width.equal_to, as in union-find: the last width
   of a chain represents all of them. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <qkv/variant.h>

#include "base/words.h"
#include "equation/scalar.h"

/* The last two members of a Size: the name of a field of Attention, and its
   offset. */
#define FIELD(field) #field, offsetof(Attention, field)
const Size sizes[] = {
    {"d_model", NULL, FIELD(d_model)},  {"h", "heads", FIELD(heads)},
    {"g", "kv-heads", FIELD(kv_heads)}, {"d_k", "d-k", FIELD(d_k)},
    {"d_v", "d-v", FIELD(d_v)},         {"latent", "latent", FIELD(latent)},
    {"layer", NULL, FIELD(layer)},      {"layers", NULL, FIELD(layers)}};
const int size_count = sizeof sizes / sizeof *sizes;

const Size *
size_named(const char *name)
{
    for (int i = 0; i < size_count; i++)
        if (!strcmp(sizes[i].name, name))
            return &sizes[i];
    return NULL;
}

const char *
setting_name(const char *name)
{
    char *copy = copy_text(name);
    replace_in(copy, "_", '-');
    return interned(copy);
}

/* The settings are declared as "NAME=VALUE NAME=VALUE". With a blank before the
   first, each name is between a blank and "=". */
bool
has_setting(const EquationText *e, const char *name)
{
    const char *declared = format_text(" %s", e->settings);
    return strstr(declared, format_text(" %s=", setting_name(name))) != NULL;
}

bool
is_scalar_kind(const EquationText *e, const Tree *t)
{
    switch (t->kind) {
    case TREE_NUMBER:
    case TREE_PRODUCT:
    case TREE_SUM:
    case TREE_NEGATIVE:
    case TREE_INVERSE:
        return true;
    case TREE_NAME:
        return size_named(t->name) || has_setting(e, t->name);
    case TREE_CALL:
        return t->count == 1 && (tree_calls(t, "sqrt") || tree_calls(t, "exp"));
    default:
        return false;
    }
}

/* The value of a TREE_PRODUCT. Divides by a divisor instead of multiplying by
   its inverse, because x / 3 is rounded once and x (1 / 3) twice. */
static double
product_of_scalars(const Tree *t, const Attention *a)
{
    double x = 1;
    for (int i = 0; i < t->count; i++)
        if (t->operand[i]->kind == TREE_INVERSE)
            x /= scalar_value(t->operand[i]->operand[0], a);
        else
            x *= scalar_value(t->operand[i], a);
    return x;
}

/* The value of the size or setting with this name. A size is an int field of
   the Attention. */
static double
named_value(const char *name, const Attention *a)
{
    const Size *size = size_named(name);
    if (!size)
        return setting(a, setting_name(name));
    const char *field = (const char *)a + size->offset;
    return *(const int *)field;
}

double
scalar_value(const Tree *t, const Attention *a)
{
    double x;
    switch (t->kind) {
    case TREE_NUMBER:
        return t->number;
    case TREE_NAME:
        return named_value(t->name, a);
    case TREE_NEGATIVE:
        return -scalar_value(t->operand[0], a);
    case TREE_INVERSE:
        return 1 / scalar_value(t->operand[0], a);
    case TREE_CALL:
        x = scalar_value(t->operand[0], a);
        return tree_calls(t, "sqrt") ? sqrt(x) : exp(x);
    case TREE_SUM:
        x = 0;
        for (int i = 0; i < t->count; i++)
            x += scalar_value(t->operand[i], a);
        return x;
    default: /* TREE_PRODUCT; other kinds are not scalars */
        return product_of_scalars(t, a);
    }
}

/* The text of an operand, in brackets if it is a sum or a product. */
static const char *
operand_text(const Tree *t)
{
    const char *text = scalar_text(t);
    return t->count > 1 ? format_text("(%s)", text) : text;
}

const char *
scalar_text(const Tree *t)
{
    const char *text = "", *between = t->kind == TREE_SUM ? " + " : " ";
    switch (t->kind) {
    case TREE_NUMBER:
        return format_text("%g", t->number);
    case TREE_NAME:
        return t->name;
    case TREE_INVERSE:
        return format_text("/ %s", operand_text(t->operand[0]));
    case TREE_NEGATIVE:
        return format_text("-%s", operand_text(t->operand[0]));
    case TREE_CALL:
        return format_text("%s(%s)", t->name, scalar_text(t->operand[0]));
    default: /* a sum or a product */
        for (int i = 0; i < t->count; i++)
            text = format_text("%s%s%s", text, i > 0 ? between : "",
                               operand_text(t->operand[i]));
        return text;
    }
}

bool
scalar_mentions(const Tree *t, const char *name)
{
    if (!t)
        return false;
    if (t->kind == TREE_NAME && !strcmp(t->name, name))
        return true;
    for (int i = 0; i < t->count; i++)
        if (scalar_mentions(t->operand[i], name))
            return true;
    return false;
}

/* Compares the values of the two scalars at one choice of sizes. The widths
   d_k, d_v and latent are primes, and d_model is a multiple of a large prime,
   9973, so that different scalars, such as d_k + d_v and d_model / h, have
   different values. Equal scalars differ at most by rounding. */
bool
equal_scalars(const EquationText *e, const Tree *s, const Tree *t)
{
    const Attention a = {.d_model = 9973 * 12,
                         .heads = 12,
                         .kv_heads = 4,
                         .d_k = 101,
                         .d_v = 211,
                         .latent = 307,
                         .layer = 1,
                         .layers = 3,
                         .settings = e->settings};
    const double rounding = 1e-12; /* relative to the values */
    if (s == t)
        return true;
    if (!s || !t)
        return false;
    double x = scalar_value(s, &a), y = scalar_value(t, &a);
    return fabs(x - y) <= rounding * fabs(x);
}

Width *
width_new(Tree *value)
{
    Width *w = allocate(1, sizeof *w);
    w->value = value;
    return w;
}

/* The last width of w's chain, which represents all widths equal to w. */
static Width *
representative(Width *w)
{
    while (w->equal_to)
        w = w->equal_to;
    return w;
}

Tree *
width_known(Width *w)
{
    return representative(w)->value;
}

void
note_keys(Width *w, Tree *radicand)
{
    w = representative(w);
    w->of_keys = true;
    if (radicand)
        w->radicand = radicand;
}

void
note_values(Width *w)
{
    representative(w)->of_values = true;
}

/* If both widths are known, only compares them. Otherwise joins their chains:
   one representative, `kept`, now represents both. If one of the widths is
   known, it is the one that is kept. */
void
require_equal(const EquationText *e, Width *v, Width *w, const char *place,
              const char *rule)
{
    v = representative(v);
    w = representative(w);
    if (v == w)
        return;
    if (v->value && w->value) {
        if (!equal_scalars(e, v->value, w->value))
            equation_wrong(e, place, "%s, but %s is not %s", rule,
                           scalar_text(v->value), scalar_text(w->value));
        return;
    }
    Width *kept = w->value ? w : v, *lost = w->value ? v : w;
    kept->of_keys |= lost->of_keys;
    kept->of_values |= lost->of_values;
    if (lost->radicand)
        kept->radicand = lost->radicand;
    lost->equal_to = kept;
}

void
choose_default_width(Width *w)
{
    w = representative(w);
    if (w->value)
        return;
    if (w->of_keys)
        w->value = w->radicand ? w->radicand : tree_name("d_k");
    else
        w->value = tree_name(w->of_values ? "d_v" : "d_model");
}
