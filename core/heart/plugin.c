/* plugin.c - a variant, loaded from its shared object.

   dlopen maps the object and binds its calls of matmul, attend and the like to
   the functions of this program; dlsym finds `qkv_variant`. */
#include <dlfcn.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/plugin.h"
#include "heart/tape.h"

const Variant *
plugin_load(const char *path, int binding)
{
    void *handle = dlopen(path, binding | RTLD_LOCAL);
    if (!handle)
        fail("%s: could not load this plugin (%s): build it with cc -shared "
             "-fPIC, and call only what <qkv/...> declares",
             path, dlerror());
    /* Only a plugin that defines an operator has this symbol. */
    const unsigned char *size = dlsym(handle, "qkv_real_size");
    const Variant *v = dlsym(handle, "qkv_variant");
    if (!v)
        fail("%s: it has no symbol qkv_variant: define `const Variant "
             "qkv_variant`, as variants/standard.c does",
             path);
    if (v->abi != QKV_ABI)
        fail("%s: its .abi is %u, but this qkv has %d: set .abi = QKV_ABI, and "
             "rebuild it with this qkv's headers",
             path, v->abi, QKV_ABI);
    if (size && *size != sizeof(real))
        fail("%s: its own operator works on %u-byte numbers, but this program "
             "on %zu-byte ones: compile it %s -DQKV_DOUBLE",
             path, *size, sizeof(real), sizeof(real) == 8 ? "with" : "without");
    return v;
}

char
file_letter(char letter)
{
    return letter == '^' ? '_' : letter;
}

bool
same_file(const char *a, const char *b)
{
    while (*a && file_letter(*a) == file_letter(*b)) {
        a++;
        b++;
    }
    return !*a && !*b;
}

/* Returns text that says what is wrong with the next matrix that a variant
   declares, after the matrices of w; NULL if nothing is. */
static const char *
wrong_weight(const Weights *w, int index, const char *name, int rows, int cols)
{
    enum { LONGEST = 10000000 }; /* so that an int can hold sums of widths */
    if (index != w->count)
        return "not the next one: declare matrices in the order of their "
               "indices";
    if (rows < 1 || cols < 1)
        return "empty: give it at least one row and one column";
    if (rows > LONGEST || cols > LONGEST)
        return "too large: use at most 10,000,000 rows and columns";
    if (!*name || strlen(name) >= NAME_SIZE ||
        name[strspn(name, NAME_LETTERS "^")])
        return "not a name: use letters, digits, - _ + and ^, at most 63";
    for (int i = 0; i < w->count; i++)
        if (same_file(w->list[i].name, name))
            return "declared twice (its file has _ for ^): choose another "
                   "name";
    return NULL;
}

void
weight(Weights *w, int index, const char *name, int rows, int cols)
{
    const char *wrong = wrong_weight(w, index, name, rows, cols);
    if (wrong)
        bug("weight: matrix %d, \"%.60s\" (%d x %d): %s", index, name, rows,
            cols, wrong);
    w->list = grow(w->list, w->count, &w->capacity, sizeof *w->list);
    Weight *next = &w->list[w->count++];
    *next = (Weight){.rows = rows, .cols = cols, .deviation = 1 / sqrt(rows)};
    next->attention = true;
    strcpy(next->name, name);
}

Weights
weights_declared(const Variant *v, const Attention *a)
{
    Weights w = {0};
    Attention told = *a; /* what the variant is told */
    told.variant = v;
    report_call(v, " in weights");
    v->weights(&w, &told);
    report_call(v, RETURNED);
    return w;
}

/* It has no rows, which no operator takes. So the first operator that gets it
   aborts, and its message names the operand (label) with this text. */
Node *
undeclared(Tape *t)
{
    Node *n = leaf(t, 0, 0, 1, NULL, NULL);
    n->arguments = "a matrix that `weights` does not declare";
    return n;
}

Node *
plugin_forward(const Variant *v, Attention *a, Node *x, Node *y, Node **w)
{
    report_call(v, " in forward");
    a->tape = x->tape;
    a->variant = v;
    a->scored = 0; /* heads that have had scores in this call */
    Node *out = v->forward(a, x, y, w);
    if (!out || out->rows != x->rows || out->cols != x->cols)
        bug("forward returned %s instead of %s: queries come from x, keys and "
            "values from y; the last map, W^O, leads back to d_model",
            out ? label(out) : "NULL", label(x));
    report_call(v, RETURNED);
    return out;
}
