/* plugin.c - finds, opens and checks plugins.

   A plugin is a shared object: dlopen maps it, its calls to matmul, attend and
   the like are bound to this executable's, and dlsym finds `qkv_variant`. All
   of it is checked before anything of it is used. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <qkv/real.h>

#include "fail.h"
#include "plugin.h"
#include "random.h"
#include "words.h"

static const char *called; /* argv[0] */

void
executable_called(const char *word)
{
    called = word;
}

/* A word without a slash, where a shell would have found it; to be freed. */
static char *
in_path(const char *word)
{
    const char *from = getenv("PATH");
    while (from && *from) {
        size_t n = strcspn(from, ":");
        char *path = format_text("%.*s/%s", (int)n, from, word);
        if (!access(path, X_OK))
            return path;
        free(path);
        from += n + (from[n] == ':');
    }
    return copy_text(word);
}

/* Linux says where the program is. Elsewhere, as on macOS and the BSDs, it is
   where it was called from. */
const char *
executable_directory(void)
{
    static char path[4096];
    if (path[0])
        return path;
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) {
        char *found = !called || strchr(called, '/')
                          ? copy_text(called ? called : "")
                          : in_path(called);
        char *real = realpath(found, NULL);
        if (!real || strlen(real) >= sizeof path)
            fail("%s: not found: qkv finds its variants by its own place; call "
                 "it by its whole path",
                 found);
        strcpy(path, real);
        free(real);
        free(found);
    }
    *strrchr(path, '/') = 0;
    return path;
}

static char *
place(int i)
{
    const char *from = getenv("QKV_PATH");
    while (from && *from) {
        size_t n = strcspn(from, ":");
        if (n && i-- == 0)
            return format_text("%.*s", (int)n, from);
        from += n + (from[n] == ':');
    }
    if (i == 0)
        return format_text("%s/variants", executable_directory());
    if (i == 1)
        return format_text("%s/../lib/qkv/variants", executable_directory());
    return NULL;
}

/* Directory i of the search, to be freed; NULL after the last. Exits for one
   where anybody could have put a plugin. */
static char *
directory(int i)
{
    struct stat facts;
    char *at = place(i);
    if (at && !stat(at, &facts) && (facts.st_mode & S_IWOTH))
        fail("%s: anybody may write there, and a plugin found there would run "
             "with your rights: chmod o-w it, or give a plugin's path",
             at);
    return at;
}

#define NAME_LETTERS \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+"

void
plugin_name(const char *word, char name[NAME_SIZE])
{
    const char *slash = strrchr(word, '/'), *from = slash ? slash + 1 : word;
    size_t n = strlen(from);
    if (n > 3 && !strcmp(from + n - 3, ".so"))
        n -= 3;
    if (n > 2 && !strcmp(from + n - 2, ".c"))
        usage("%s: a source: build it with cc -shared -fPIC first, and name "
              "the .so",
              word);
    if (n == 0 || n >= NAME_SIZE || strspn(from, NAME_LETTERS) < n)
        usage("\"%s\": not the name of a variant: it takes 1 to %d letters, "
              "digits, - _ and +",
              word, NAME_SIZE - 1);
    memcpy(name, from, n);
    name[n] = 0;
}

static const char **given;
static int given_count, given_room;

bool
plugin_was_given(const char *word)
{
    for (int i = 0; i < given_count; i++)
        if (!strcmp(word, given[i]))
            return true;
    return false;
}

void
plugin_given(const char *word)
{
    if (!strchr(word, '/') || plugin_was_given(word))
        return;
    given = grow(given, given_count, &given_room, sizeof *given);
    given[given_count++] = interned(word);
}

char *
plugin_find(const char *word, char **tried)
{
    *tried = copy_text("");
    if (strchr(word, '/')) {
        free(*tried);
        *tried = copy_text(word);
        return access(word, F_OK) ? NULL : copy_text(word);
    }
    char *at, *path = NULL;
    for (int i = 0; !path && (at = directory(i)); i++) {
        path =
            sizeof(real) == 8 ? format_text("%s/double/%s.so", at, word) : NULL;
        if (!path || access(path, F_OK)) {
            free(path);
            path = format_text("%s/%s.so", at, word);
        }
        if (access(path, F_OK)) {
            char *longer = format_text("%s%s%s", *tried, i ? ", " : "", path);
            free(*tried);
            *tried = longer;
            free(path);
            path = NULL;
        }
        free(at);
    }
    return path;
}

/* By name: "two-step" before "two-step-tanh", which ".so" would turn round. */
static int
by_name(const void *a, const void *b)
{
    char x[NAME_SIZE], y[NAME_SIZE];
    plugin_name(*(char *const *)a, x);
    plugin_name(*(char *const *)b, y);
    return strcmp(x, y);
}

static int
holds(char **paths, int count, const char *file)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(strrchr(paths[i], '/') + 1, file))
            return 1;
    return 0;
}

char **
plugin_list(int *count)
{
    char **paths = NULL, *at;
    int room = *count = 0;
    for (int i = 0; (at = directory(i)); free(at), i++) {
        DIR *dir = opendir(at);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            size_t n = strlen(e->d_name);
            if (n <= 3 || n - 3 >= NAME_SIZE ||
                strcmp(e->d_name + n - 3, ".so") ||
                strspn(e->d_name, NAME_LETTERS) != n - 3 ||
                holds(paths, *count, e->d_name))
                continue;
            char *own = format_text("%s/double/%s", at, e->d_name);
            bool bound = sizeof(real) == 8 && !access(own, F_OK);
            paths = grow(paths, *count, &room, sizeof *paths);
            paths[(*count)++] =
                bound ? copy_text(own) : format_text("%s/%s", at, e->d_name);
            free(own);
        }
        if (dir)
            closedir(dir);
    }
    if (*count)
        qsort(paths, (size_t)*count, sizeof *paths, by_name);
    return paths;
}

uint64_t
plugin_hash(const char *path)
{
    size_t size;
    char *bytes = read_file(path, "plugin", &size);
    uint64_t hash = hash_bytes(HASH_START, bytes, size);
    free(bytes);
    return hash;
}

/* Exits with the way out of a file that the loader refuses. */
static _Noreturn void
refused(const char *path, const char *why)
{
    if (!strncmp(why, path, strlen(path)) && why[strlen(path)] == ':')
        why += strlen(path) + 2; /* dlerror begins with the path too */
    if (strstr(why, "undefined symbol"))
        fail("%s: %s: qkv has no such operator; those it has are declared in "
             "<qkv/tape.h> and <qkv/attend.h>",
             path, why);
    fail("%s: not a shared object that can be loaded: %s; build it with "
         "cc -shared -fPIC",
         path, why);
}

static void
check_shape(const char *path, const char *shape)
{
    static const char *const known[] = {"heads", "kv-heads", "d-k", "d-v",
                                        "latent"};
    char word[16];
    for (int n; sscanf(shape, " %15s%n", word, &n) == 1; shape += n) {
        int found = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found |= !strcmp(word, known[i]);
        if (!found)
            fail("%s: qkv_variant.shape names \"%s\", which is no shape "
                 "option; it takes words of \"heads kv-heads d-k d-v latent\"",
                 path, word);
    }
}

/* Printed: what would command a terminal, or end a line, is no equation. */
static void
check_equation(const char *path, const char *equation)
{
    for (const char *c = equation; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            fail("%s: its .equation has a control character: write one line",
                 path);
}

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
    check_equation(path, v->equation);
    check_shape(path, v->shape);
}

/* Exits for a name that no directory has. */
static _Noreturn void
unknown(const char *word, const char *tried)
{
    if (strchr(word, '/'))
        usage("%s: no such plugin file: build it, or give its path", word);
    if (!access(word, F_OK))
        usage("unknown variant \"%s\": a file here is named with a slash, "
              "./%s",
              word, word);
    char *file = format_text("%s.so", word);
    if (!access(file, F_OK))
        usage("unknown variant \"%s\": a plugin here is named by its path, "
              "./%s",
              word, file);
    free(file);
    int count;
    char **paths = plugin_list(&count);
    const char **names = allocate((size_t)count, sizeof *names);
    for (int i = 0; i < count; i++) {
        char name[NAME_SIZE];
        plugin_name(paths[i], name);
        names[i] = copy_text(name);
    }
    usage("unknown variant \"%s\"%s: tried %s; `qkv list` names those there "
          "are",
          word, did_you_mean(word, names, count), tried);
}

Plugin
plugin_open(const char *word)
{
    Plugin p = {0};
    char *tried, *path = plugin_find(word, &tried);
    plugin_name(word, p.name);
    if (!path)
        unknown(word, tried);
    if (strlen(path) >= sizeof p.path)
        usage("%s: the path is longer than %zu bytes", word, sizeof p.path);
    strcpy(p.path, path);
    free(path);
    free(tried);
    p.hash = plugin_hash(p.path);
    void *handle = dlopen(p.path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        refused(p.path, dlerror());
    const unsigned char *size = dlsym(handle, "qkv_real_size");
    p.variant = dlsym(handle, "qkv_variant");
    p.own_operator = size != NULL;
    check_variant(p.path, p.variant, size);
    return p;
}

void
weight(Weights *w, int index, const char *name, int rows, int cols)
{
    if (index != w->count)
        bug("weight: \"%s\" has index %d where %d is next: declare the "
            "matrices in the order of their indices",
            name, index, w->count);
    if (rows < 1 || cols < 1 || !*name || strlen(name) >= NAME_SIZE ||
        !names_file(name))
        bug("weight: \"%.60s\" (%d x %d) is no matrix with a name: give it a "
            "row, a column, and letters, without / . blanks or quotes",
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
start_at(Weights *w, int index, double mean, double deviation)
{
    if (index < 0 || index >= w->count)
        bug("start_at: matrix %d is not declared yet", index);
    if (!isfinite(mean) || !(deviation >= 0 && isfinite(deviation)))
        bug("start_at: %s cannot start as N(%g, %g^2)", w->list[index].name,
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
    v->weights(&w, a);
    return w;
}

void
weights_free(Weights *w)
{
    free(w->list);
    *w = (Weights){0};
}
