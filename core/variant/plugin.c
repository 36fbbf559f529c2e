/* plugin.c - finds, opens and checks plugins.

   A plugin is a shared object: dlopen maps it, its calls to matmul, attend and
   the like are bound to this executable's, and dlsym finds `qkv_variant`. All
   of it is checked before anything of it is used. */
#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <qkv/operator.h>
#include <qkv/real.h>

#include "base/report.h"
#include "base/words.h"
#include "heart/fail.h"
#include "heart/random.h"
#include "variant/plugin.h"

/* Linux says where the program is; elsewhere, as on macOS and the BSDs, the
   loader knows. */
const char *
executable_directory(void)
{
    static char path[PATH_SIZE];
    Dl_info program;
    if (path[0])
        return path;
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0 &&
        !(dladdr(path, &program) && realpath(program.dli_fname, path)))
        fail("the program's own directory, where its variants are, cannot be "
             "found: call it by its whole path");
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

/* Exits where anybody could have put or changed the plugin that is found. */
static void
check_writers(const char *path)
{
    struct stat facts;
    if (!stat(path, &facts) && (facts.st_mode & S_IWOTH))
        fail("%s: anybody may write to it, and a plugin found by its name "
             "runs with your rights: chmod o-w it, or give a plugin's path",
             path);
}

/* Directory i of the search, to be freed; NULL after the last. */
static char *
directory(int i)
{
    char *at = place(i), *wide = at ? format_text("%s/double", at) : NULL;
    if (at)
        check_writers(at);
    if (at && sizeof(real) == 8)
        check_writers(wide);
    free(wide);
    return at;
}

/* DIRECTORY/NAME.so, to be freed; NULL where it is not there. */
static char *
found_in(const char *at, const char *folder, const char *name)
{
    char *path = format_text("%s/%s%s.so", at, folder, name);
    check_writers(path);
    if (!access(path, F_OK))
        return path;
    free(path);
    return NULL;
}

void
plugin_name(const char *word, char name[NAME_SIZE])
{
    const char *slash = strrchr(word, '/'), *from = slash ? slash + 1 : word;
    size_t n = strlen(from);
    if (n > 3 && !strcmp(from + n - 3, ".so"))
        n -= 3;
    if (n > 2 && !strcmp(from + n - 2, ".c"))
        usage("%s: a source: %s", word,
              slash ? "name the .so that cc -shared -fPIC makes of it"
                    : "it is named with a slash, as ./mine.c");
    if (n == 0 || n >= NAME_SIZE || strspn(from, NAME_LETTERS) < n)
        usage("\"%s\": not the name of a variant: it takes 1 to %d letters, "
              "digits, - _ and +",
              word, NAME_SIZE - 1);
    memcpy(name, from, n);
    name[n] = 0;
}

static void *given; /* a tree of paths */

static int
by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

void
plugin_given(const char *word)
{
    tsearch(interned(word), &given, by_text);
}

char *
plugin_find(const char *name)
{
    char *at, *path = NULL;
    for (int i = 0; !path && (at = directory(i)); free(at), i++) {
        path = sizeof(real) == 8 ? found_in(at, "double/", name) : NULL;
        path = path ? path : found_in(at, "", name);
    }
    return path;
}

const char *
plugin_believed(const char *word)
{
    char name[NAME_SIZE];
    if (!strchr(word, '/') || tfind(word, &given, by_text))
        return word;
    plugin_name(word, name);
    char *path = plugin_find(name);
    if (!path)
        fail("%s: a file names this path, and only a path that you typed is "
             "opened: put the directory of %s.so in QKV_PATH",
             word, name);
    free(path);
    return interned(name);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

Values
plugin_list(void)
{
    Values names = {0};
    char *at;
    for (int i = 0; (at = directory(i)); free(at), i++) {
        DIR *dir = opendir(at);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            size_t n = strlen(e->d_name);
            if (n <= 3 || n - 3 >= NAME_SIZE ||
                strcmp(e->d_name + n - 3, ".so") ||
                strspn(e->d_name, NAME_LETTERS) != n - 3)
                continue;
            values_add(&names, format_text("%.*s", (int)n - 3, e->d_name));
        }
        if (dir)
            closedir(dir);
    }
    int all = names.count;
    if (all)
        qsort(names.text, (size_t)all, sizeof *names.text, by_name);
    for (int i = names.count = 0; i < all; i++)
        if (names.count && !strcmp(names.text[names.count - 1], names.text[i]))
            free(names.text[i]);
        else
            names.text[names.count++] = names.text[i];
    return names;
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
    char word[16];
    for (int n; sscanf(shape, " %15s%n", word, &n) == 1; shape += n)
        if (index_in(SHAPE_OPTIONS, word) < 0)
            fail("%s: qkv_variant.shape names \"%s\", which is no shape "
                 "option; it takes words of \"%s\"",
                 path, word, SHAPE_OPTIONS);
}

bool
is_own_name(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && n < OWN_NAME && *name >= 'a' && *name <= 'z' &&
           name[n - 1] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

bool
own_next(const char **list, Own *own)
{
    for (const char *word; *(word = *list + strspn(*list, " "));) {
        size_t n = strcspn(word, " "), name = strcspn(word, "= ");
        *list = word + n;
        if (name == n)
            continue;
        char *text = format_text("%.*s", (int)n, word);
        *own = (Own){.name = ""};
        if (number_read(text + name + 1, false, -OWN_MOST, OWN_MOST,
                        &own->value))
            own->value = NAN;
        text[name] = 0;
        if (is_own_name(text))
            strcpy(own->name, text);
        free(text);
        return true;
    }
    return false;
}

const char *
variant_uses(const Variant *v)
{
    char uses[USES_SIZE];
    snprintf(uses, sizeof uses, "%s %s", v->shape,
             v->settings ? v->settings : "");
    return interned(uses);
}

/* A bias asks for each pair of tokens, so the last list is kept resolved; check
   puts one setting more in front of it. */
double
setting(const Attention *a, const char *name)
{
    static _Thread_local struct {
        char list[USES_SIZE];
        Own own[MOST_OWN + 1];
        int count;
    } known;
    const char *all = a->settings ? a->settings : "", *at = all;
    if (strcmp(known.list, all)) {
        snprintf(known.list, sizeof known.list, "%s", all);
        known.count = 0;
        while (known.count <= MOST_OWN &&
               own_next(&at, &known.own[known.count]))
            known.count++;
    }
    for (int i = 0; i < known.count; i++)
        if (!strcmp(known.own[i].name, name))
            return known.own[i].value;
    bug("setting: \"%.60s\" is not declared: qkv_variant.settings has %s", name,
        *all ? all : "none");
}

/* Exits where .settings is no list of different names and numbers. */
static void
check_settings(const char *path, const char *list)
{
    Own all[MOST_OWN];
    int count = 0;
    for (const char *at = list; *(at += strspn(at, " ")); count++) {
        Own own = {.value = NAN};
        const char *one = at, *end = at + strcspn(at, " ");
        if (!own_next(&at, &own) || at != end || !*own.name || isnan(own.value))
            fail("%s: qkv_variant.settings has \"%.*s\", which is not "
                 "NAME=NUMBER with a name of small letters, digits and -, %d "
                 "at most, and a number that an option can have",
                 path, (int)(end - one), one, OWN_NAME - 1);
        for (int i = 0; i < count; i++)
            if (!strcmp(all[i].name, own.name))
                fail("%s: qkv_variant.settings declares \"%s\" twice", path,
                     own.name);
        if (count == MOST_OWN || end - list >= USES_SIZE / 2)
            fail("%s: qkv_variant.settings is too long: it takes %d settings "
                 "and %d letters",
                 path, MOST_OWN, USES_SIZE / 2);
        all[count] = own;
    }
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
    if (!is_text(v->equation) || !is_text(v->family ? v->family : ""))
        fail("%s: its .equation or .family has a control character, or bytes "
             "that are no UTF-8: write one line",
             path);
    check_shape(path, v->shape);
    check_settings(path, v->settings ? v->settings : "");
}

/* Exits for a name that no directory has. */
static _Noreturn void
unknown(const char *word)
{
    char *at, *tried = copy_text("");
    for (int i = 0; i < 2; i++) {
        char *file = format_text("%s%s", word, i ? ".so" : "");
        if (!access(file, F_OK))
            usage("unknown variant \"%s\": a file here is named with a slash, "
                  "./%s",
                  word, file);
        free(file);
    }
    Values names = plugin_list();
    for (int i = 0; (at = place(i)); i++)
        tried = format_text("%s%s%s/%s.so", tried, i ? ", " : "", at, word);
    usage("unknown variant \"%s\"%s: tried %s; `qkv list` lists them", word,
          did_you_mean(word, (const char *const *)names.text, names.count),
          tried);
}

OpenPlugin *open_plugins;

const char *
plugin_of(const Variant *v)
{
    for (const OpenPlugin *o = open_plugins; o; o = o->next)
        if (o->variant == v)
            return o->path;
    return NULL;
}

static void
record(const Plugin *p)
{
    if (plugin_of(p->variant))
        return;
    OpenPlugin *o = allocate(1, sizeof *o);
    *o = (OpenPlugin){p->variant, interned(p->path), open_plugins};
    open_plugins = o;
}

Plugin
plugin_open(const char *word)
{
    Plugin p = {0};
    char *found = NULL;
    if (!report->watched)
        bug("%s: a plugin is opened in a child only", word);
    word = plugin_believed(word);
    plugin_name(word, p.name);
    if (!strchr(word, '/') && !(found = plugin_find(word)))
        unknown(word);
    const char *path = found ? found : word;
    if (access(path, F_OK))
        usage("%s: no such plugin file: build it, or give its path", path);
    snprintf(p.path, sizeof p.path, "%s", path);
    free(found);
    p.hash = plugin_hash(p.path);
    enter(p.path, " being loaded");
    void *handle = dlopen(p.path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        refused(p.path, dlerror());
    const unsigned char *size = dlsym(handle, "qkv_real_size");
    p.variant = dlsym(handle, "qkv_variant");
    p.own_operator = size != NULL;
    check_variant(p.path, p.variant, size);
    record(&p);
    leave();
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
    enter(plugin_of(v), " in weights");
    v->weights(&w, a);
    leave();
    return w;
}

Node *
plugin_forward(const Variant *v, Attention *a, Node *x, Node *y, Node **w)
{
    enter(plugin_of(v), " in forward");
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
    leave();
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
