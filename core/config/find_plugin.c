/* find_plugin.c - finds and opens plugins. heart/plugin.c loads them. */
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
#include "config/find_plugin.h"
#include "heart/fail.h"

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

/* Directory i of the search, to be freed; NULL after the last. */
static char *
directory(int i)
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

/* DIRECTORY/NAME.so, to be freed; NULL where it is not there. */
static char *
found_in(const char *at, const char *folder, const char *name)
{
    char *path = format_text("%s/%s%s.so", at, folder, name);
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

/* The FNV-1a hash of a plugin's file. */
static uint64_t
plugin_hash(const char *path)
{
    size_t size;
    char *bytes = read_file(path, "plugin", &size);
    uint64_t hash = hash_bytes(HASH_START, bytes, size);
    free(bytes);
    return hash;
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
check_members(const char *path, const Variant *v)
{
    const char *missing = !v->equation  ? "equation"
                          : !v->shape   ? "shape"
                          : !v->weights ? "weights"
                          : !v->forward ? "forward"
                                        : NULL;
    if (missing)
        fail("%s: qkv_variant.%s is NULL: set it, as variants/standard.c does",
             path, missing);
}

/* Does a plugin that is loaded define the symbol itself? */
static bool
has_symbol(const char *path, const char *symbol)
{
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    bool has = dlsym(handle, symbol);
    dlclose(handle);
    return has;
}

/* Exits where what it says of itself cannot be shown, or is no shape or list.
 */
static void
check_words(const char *path, const Variant *v)
{
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
    for (int i = 0; (at = directory(i)); i++)
        tried = format_text("%s%s%s/%s.so", tried, i ? ", " : "", at, word);
    usage("unknown variant \"%s\"%s: tried %s; `qkv list` lists them", word,
          did_you_mean(word, (const char *const *)names.text, names.count),
          tried);
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
    plugin_runs(p.path, " being loaded");
    p.variant = plugin_load(p.path, RTLD_NOW);
    plugin_runs(NULL, "");
    check_members(p.path, p.variant);
    p.own_operator = has_symbol(p.path, "qkv_real_size");
    check_words(p.path, p.variant);
    return p;
}
