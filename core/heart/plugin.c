/* plugin.c - a variant, loaded from its shared object.

   dlopen maps it, its calls to matmul, attend and the like are bound to this
   executable's, and dlsym finds `qkv_variant`. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/operator.h>

#include "heart/fail.h"
#include "heart/plugin.h"

static void
check_variant(const char *path, const Variant *v, const unsigned char *size)
{
    if (!v)
        fail("%s: no symbol qkv_variant: a variant defines `const Variant "
             "qkv_variant`, as variants/standard.c does",
             path);
    if (v->abi != QKV_ABI)
        fail("%s: built for plugin ABI %u, and this qkv has %d: rebuild it "
             "with this qkv's headers",
             path, v->abi, QKV_ABI);
    if (size && *size != sizeof(real))
        fail("%s: its own operator works on %u-byte numbers, this program on "
             "%zu-byte ones: compile it %s -DQKV_DOUBLE",
             path, *size, sizeof(real), sizeof(real) == 8 ? "with" : "without");
    const char *missing = !v->equation  ? "equation"
                          : !v->shape   ? "shape"
                          : !v->weights ? "weights"
                          : !v->forward ? "forward"
                                        : NULL;
    if (missing)
        fail("%s: qkv_variant.%s is NULL: set it, as variants/standard.c does",
             path, missing);
}

const Variant *
plugin_load(const char *path, int binding, bool *own_operator)
{
    void *handle = dlopen(path, binding | RTLD_LOCAL);
    const char *why = handle ? "" : dlerror(); /* begins with the path */
    if (!handle)
        fail("%s: %s", why,
             strstr(why, "undefined symbol")
                 ? "qkv has no such operator; those it has are declared in "
                   "<qkv/tape.h> and <qkv/attend.h>"
                 : "not a shared object that can be loaded; build it with "
                   "cc -shared -fPIC");
    const unsigned char *size = dlsym(handle, "qkv_real_size");
    const Variant *v = dlsym(handle, "qkv_variant");
    check_variant(path, v, size);
    *own_operator = size != NULL;
    return v;
}

/* The value after "NAME=" in the list of the variant's own settings. A bias
   asks for each pair of tokens, so the last answer is kept. */
double
setting(const Attention *a, const char *name)
{
    static _Thread_local char list[USES_SIZE], last[NAME_SIZE];
    static _Thread_local double value;
    const char *all = a->settings ? a->settings : "";
    if (!strcmp(list, all) && !strcmp(last, name))
        return value;
    size_t n = strlen(name);
    for (const char *at = all; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (strncmp(at, name, n) || at[n] != '=')
            continue;
        snprintf(list, sizeof list, "%s", all);
        snprintf(last, sizeof last, "%s", name);
        return value = strtod(at + n + 1, NULL);
    }
    bug("setting: \"%.60s\" is not declared: qkv_variant.settings has %s", name,
        *all ? all : "none");
}

bool
one_file(const char *a, const char *b)
{
    while (*a && (*a == '^' ? '_' : *a) == (*b == '^' ? '_' : *b))
        a++, b++;
    return !*a && !*b;
}

void
weight(Weights *w, int index, const char *name, int rows, int cols)
{
    if (index != w->count)
        bug("weight: \"%s\" has index %d where %d is next: declare the "
            "matrices in the order of their indices",
            name, index, w->count);
    if (rows < 1 || cols < 1 || !*name || strlen(name) >= NAME_SIZE ||
        name[strspn(name, NAME_LETTERS "^")])
        bug("weight: \"%.60s\" (%d x %d) is no matrix with a name: give it a "
            "row, a column, and letters, digits, - _ + and ^",
            name, rows, cols);
    for (int i = 0; i < w->count; i++)
        if (one_file(w->list[i].name, name))
            bug("weight: \"%s\" is declared twice (^ is _ in a file)", name);
    w->list = grow(w->list, w->count, &w->room, sizeof *w->list);
    Declared *d = &w->list[w->count++];
    snprintf(d->name, sizeof d->name, "%s", name);
    d->rows = rows;
    d->cols = cols;
    d->mean = 0;
    d->deviation = 1 / sqrt(rows);
}

void
initialise(Weights *w, int index, double mean, double deviation)
{
    if (index < 0 || index >= w->count)
        bug("initialise: matrix %d is not declared yet", index);
    if (!isfinite(mean) || !(deviation >= 0 && isfinite(deviation)))
        bug("initialise: %s cannot start as N(%g, %g^2)", w->list[index].name,
            mean, deviation);
    w->list[index].mean = mean;
    w->list[index].deviation = deviation;
}

void
weight_each(Weights *w, int index, int count, const char *name, int rows,
            int cols)
{
    const char *i = strchr(name, 'i');
    if (!i)
        bug("weight_each: \"%s\" has no i to number the matrices by", name);
    for (int n = 0; n < count; n++) {
        char numbered[NAME_SIZE];
        snprintf(numbered, sizeof numbered, "%.*s%d%s", (int)(i - name), name,
                 n + 1, i + 1);
        weight(w, index + n, numbered, rows, cols);
    }
}

Weights
weights_declared(const Variant *v, const Attention *a)
{
    Weights w = {0};
    enter(v, " in weights");
    v->weights(&w, a);
    enter(NULL, "");
    return w;
}

Node *
plugin_forward(const Variant *v, Attention *a, Node *x, Node *y, Node **w)
{
    enter(v, " in forward");
    a->tape = x->tape;
    a->scored = 0;
    Node *out = v->forward(a, x, y, w);
    if (!out)
        bug("forward returned NULL, where the last operator's node belongs");
    if (out->rows != x->rows || out->cols != x->cols)
        bug("forward returned (%d x %d) where x is (%d x %d): %s", out->rows,
            out->cols, x->rows, x->cols,
            out->rows != x->rows
                ? "the queries come from x, keys and values from y"
                : "the last map, W^O, brings it back to d_model");
    enter(NULL, "");
    return out;
}

void
plugin_forward_earlier(const Variant *v, const Attention *a, Node *x, Node *y,
                       Node **w)
{
    Attention earlier = *a;
    for (earlier.layer = 0; earlier.layer < a->layer; earlier.layer++)
        plugin_forward(v, &earlier, x, y, w);
}

void
weights_free(Weights *w)
{
    free(w->list);
    *w = (Weights){0};
}
