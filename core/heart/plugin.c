/* plugin.c - a variant, loaded from its shared object.

   dlopen maps it, its calls to matmul, attend and the like are bound to this
   executable's, and dlsym finds `qkv_variant`. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "heart/fail.h"
#include "heart/plugin.h"
#include "heart/tape.h"

const Variant *
plugin_load(const char *path, int binding)
{
    void *handle = dlopen(path, binding | RTLD_LOCAL);
    if (!handle)
        fail("%s: not a shared object that can be loaded: build it with cc "
             "-shared -fPIC, and call what <qkv/...> declares",
             dlerror()); /* begins with the path */
    const unsigned char *size = dlsym(handle, "qkv_real_size");
    const Variant *v = dlsym(handle, "qkv_variant");
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
    return v;
}

/* The value after "NAME=" in the list of the variant's own settings. A bias
   asks for each pair of tokens, so the last answer is kept. */
double
setting(const Attention *a, const char *name)
{
    static _Thread_local char list[USES_SIZE], last[NAME_SIZE];
    static _Thread_local double value;
    const char *all = a->settings ? a->settings : "", *at = all;
    size_t n = strlen(name);
    if (!strcmp(list, all) && !strcmp(last, name))
        return value;
    while (*at && (strncmp(at, name, n) || at[n] != '=')) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    if (!*at)
        bug("setting: \"%.60s\" is not declared: qkv_variant.settings has %s",
            name, *all ? all : "none");
    snprintf(list, sizeof list, "%s", all);
    snprintf(last, sizeof last, "%s", name);
    return value = strtod(at + n + 1, NULL);
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
    enum { LONGEST = 10000000 }; /* a sum of these still fits into an int */
    const char *wrong =
        index != w->count ? "not the next one: keep the order of the indices"
        : rows < 1 || cols < 1 ? "no matrix: give it a row and a column"
        : rows > LONGEST || cols > LONGEST
            ? "too large: it may have 10,000,000 rows or columns"
        : !*name || strlen(name) >= NAME_SIZE ||
                name[strspn(name, NAME_LETTERS "^")]
            ? "no name: take letters, digits, - _ + and ^"
            : NULL;
    for (int i = 0; i < w->count && !wrong; i++)
        if (one_file(w->list[i].name, name))
            wrong = "declared twice (^ is _ in a file)";
    if (wrong)
        bug("weight: matrix %d, \"%.60s\" (%d x %d): %s", index, name, rows,
            cols, wrong);
    w->list = grow(w->list, w->count, &w->room, sizeof *w->list);
    Weight *d = &w->list[w->count++];
    *d = (Weight){.rows = rows, .cols = cols, .deviation = 1 / sqrt(rows)};
    strcpy(d->name, name);
}

void
initialise(Weights *w, int index, double mean, double deviation)
{
    if (index < 0 || index >= w->count || !isfinite(mean) ||
        !(deviation >= 0 && isfinite(deviation)))
        bug("initialise: matrix %d of the %d that are declared cannot start as "
            "N(%g, %g^2)",
            index, w->count, mean, deviation);
    w->list[index].mean = mean;
    w->list[index].deviation = deviation;
}

void
weight_each(Weights *w, int index, int count, const char *name, int rows,
            int cols)
{
    int before = (int)strcspn(name, "i");
    for (int n = 0; n < count; n++) {
        char numbered[NAME_SIZE];
        snprintf(numbered, sizeof numbered, "%.*s%d%s", before, name, n + 1,
                 name[before] ? &name[before + 1] : "");
        weight(w, index + n, numbered, rows, cols);
    }
}

Weights
weights_declared(const Variant *v, const Attention *a)
{
    Weights w = {0};
    Attention of_v = *a;
    of_v.variant = v;
    enter(v, " in weights");
    v->weights(&w, &of_v);
    enter(v, "");
    return w;
}

Node *
plugin_forward(const Variant *v, Attention *a, Node *x, Node *y, Node **w)
{
    enter(v, " in forward");
    a->tape = x->tape;
    a->variant = v;
    a->scored = 0;
    Node *out = v->forward(a, x, y, w);
    if (!out || out->rows != x->rows || out->cols != x->cols)
        bug("forward returned %s where %s belongs: queries come from x, keys "
            "and values from y; the last map, W^O, leads back to d_model",
            out ? label(out) : "NULL", label(x));
    enter(v, "");
    return out;
}
