/* scalar.c - the numbers of an equation, and the widths of its matrices. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <qkv/variant.h>

#include "base/words.h"
#include "equation/scalar.h"

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

bool
has_setting(const EquationText *e, const char *name)
{
    const char *wanted = setting_name(name);
    size_t n = strlen(wanted);
    for (const char *at = e->settings; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (!strncmp(at, wanted, n) && at[n] == '=')
            return true;
    }
    return false;
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

double
scalar_value(const Tree *t, const Attention *a)
{
    double x;
    const Size *size;
    switch (t->kind) {
    case TREE_NUMBER:
        return t->number;
    case TREE_NAME:
        size = size_named(t->name);
        return size ? *(const int *)((const char *)a + size->offset)
                    : setting(a, setting_name(t->name));
    case TREE_NEGATIVE:
        return -scalar_value(t->of[0], a);
    case TREE_INVERSE:
        return 1 / scalar_value(t->of[0], a);
    case TREE_CALL:
        x = scalar_value(t->of[0], a);
        return tree_calls(t, "sqrt") ? sqrt(x) : exp(x);
    case TREE_SUM:
        x = 0;
        for (int i = 0; i < t->count; i++)
            x += scalar_value(t->of[i], a);
        return x;
    default: /* a product; x / 3 is rounded once, x (1 / 3) twice */
        x = 1;
        for (int i = 0; i < t->count; i++)
            if (t->of[i]->kind == TREE_INVERSE)
                x /= scalar_value(t->of[i]->of[0], a);
            else
                x *= scalar_value(t->of[i], a);
        return x;
    }
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
        return format_text("/ %s", scalar_text(t->of[0]));
    case TREE_NEGATIVE:
        return format_text("-%s", scalar_text(t->of[0]));
    case TREE_CALL:
        return format_text("%s(%s)", t->name, scalar_text(t->of[0]));
    default:
        for (int i = 0; i < t->count; i++)
            text = format_text("%s%s%s", text, i > 0 ? between : "",
                               scalar_text(t->of[i]));
        return text;
    }
}

bool
scalar_names(const Tree *t, const char *name)
{
    if (!t)
        return false;
    if (t->kind == TREE_NAME && !strcmp(t->name, name))
        return true;
    for (int i = 0; i < t->count; i++)
        if (scalar_names(t->of[i], name))
            return true;
    return false;
}

bool
equal_numbers(const EquationText *e, const Tree *s, const Tree *t)
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
    if (s == t || !s || !t)
        return s == t;
    double x = scalar_value(s, &a), y = scalar_value(t, &a);
    return fabs(x - y) <= 1e-12 * fabs(x);
}

Width *
width_new(Tree *value)
{
    Width *w = allocate(1, sizeof *w);
    w->value = value;
    return w;
}

/* The width that stands for all widths that are equal to w. */
static Width *
first_of(const Width *w)
{
    while (w->same)
        w = w->same;
    return (Width *)w;
}

Tree *
width_known(const Width *w)
{
    return first_of(w)->value;
}

void
note_keys(Width *w, Tree *root)
{
    w = first_of(w);
    w->of_keys = true;
    if (root)
        w->root = root;
}

void
note_values(Width *w)
{
    first_of(w)->of_values = true;
}

void
make_equal(const EquationText *e, Width *v, Width *w, const char *at,
           const char *rule)
{
    v = first_of(v);
    w = first_of(w);
    if (v == w)
        return;
    if (v->value && w->value) {
        if (!equal_numbers(e, v->value, w->value))
            equation_wrong(e, at, "%s: one has width %s, the other %s", rule,
                           scalar_text(v->value), scalar_text(w->value));
        return;
    }
    Width *kept = w->value ? w : v, *gone = w->value ? v : w;
    kept->of_keys |= gone->of_keys;
    kept->of_values |= gone->of_values;
    if (gone->root)
        kept->root = gone->root;
    gone->same = kept;
}

void
choose_width(Width *w)
{
    w = first_of(w);
    if (w->value)
        return;
    if (w->of_keys)
        w->value = w->root ? w->root : tree_name("d_k");
    else
        w->value = tree_name(w->of_values ? "d_v" : "d_model");
}
