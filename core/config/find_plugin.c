/* find_plugin.c - finds and opens plugins. heart/plugin.c loads them. */
#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
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

void
plugin_name(const char *word, char name[NAME_SIZE])
{
    const char *slash = strrchr(word, '/'), *from = slash ? slash + 1 : word;
    size_t n = strlen(from);
    if (n > 3 && !strcmp(from + n - 3, ".so"))
        n -= 3;
    if (n == 0 || n >= NAME_SIZE || strspn(from, NAME_LETTERS) < n)
        usage("\"%s\": not the name of a variant: it takes 1 to %d letters, "
              "digits, - _ and +; a file is named with a slash, ./mine.so",
              word, NAME_SIZE - 1);
    memcpy(name, from, n);
    name[n] = 0;
}

static Values given; /* paths */

void
plugin_given(const char *word)
{
    values_add(&given, copy_text(word));
}

char *
plugin_find(const char *name)
{
    char *at;
    for (int i = 0; (at = directory(i)); free(at), i++)
        for (int k = sizeof(real) == 8 ? 0 : 1; k < 2; k++) {
            char *path =
                format_text("%s/%s%s.so", at, k ? "" : "double/", name);
            if (!access(path, F_OK)) {
                free(at);
                return path;
            }
            free(path);
        }
    return NULL;
}

const char *
plugin_believed(const char *word)
{
    char name[NAME_SIZE];
    bool typed = !strchr(word, '/');
    for (int i = 0; i < given.count; i++)
        typed |= !strcmp(given.text[i], word);
    if (typed)
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
            char *name = e->d_name, *end = name + strspn(name, NAME_LETTERS);
            if (end == name || end >= name + NAME_SIZE || strcmp(end, ".so"))
                continue;
            *end = 0;
            bool known = false; /* from a directory before */
            for (int k = 0; k < names.count; k++)
                known |= !strcmp(names.text[k], name);
            if (!known)
                values_add(&names, copy_text(name));
        }
        if (dir)
            closedir(dir);
    }
    if (names.count)
        qsort(names.text, (size_t)names.count, sizeof *names.text, by_name);
    return names;
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
    char word[2 * OWN_NAME];
    for (int n; sscanf(*list, " %63s%n", word, &n) == 1;) {
        char *value = strchr(word, '=');
        *list += n;
        if (!value)
            continue;
        *value++ = 0;
        *own = (Own){.name = ""};
        if (number_read(value, false, -OWN_MOST, OWN_MOST, &own->value))
            own->value = NAN;
        if (is_own_name(word))
            strcpy(own->name, word);
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

/* Exits where the variant lacks something, or says what cannot be used. */
static void
check_variant(const char *path, const Variant *v)
{
    char word[16];
    Own own;
    int count = 0;
    bool right = true;
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
    const char *at = v->shape;
    for (int n; sscanf(at, " %15s%n", word, &n) == 1; at += n)
        if (index_in(SHAPE_OPTIONS, word) < 0)
            fail("%s: qkv_variant.shape names \"%s\", which is no shape "
                 "option; it takes words of \"%s\"",
                 path, word, SHAPE_OPTIONS);
    const char *list = v->settings ? v->settings : "";
    for (at = list; own_next(&at, &own); count++)
        right &= *own.name && !isnan(own.value);
    if (!right || count > MOST_OWN || strlen(list) >= USES_SIZE / 2)
        fail("%s: qkv_variant.settings is \"%.300s\": it takes %d at most of "
             "NAME=NUMBER, whose names have up to %d small letters, digits "
             "and -",
             path, list, MOST_OWN, OWN_NAME - 1);
}

Plugin
plugin_open(const char *word)
{
    Plugin p = {0};
    size_t size;
    if (!report->watched)
        bug("%s: a plugin is opened in a child only", word);
    word = plugin_believed(word);
    plugin_name(word, p.name);
    char *path = strchr(word, '/') ? copy_text(word) : plugin_find(word);
    if (!path) {
        Values names = plugin_list();
        usage("unknown variant \"%s\"%s: `qkv list` lists those that are "
              "found, QKV_PATH adds directories, and a file is named with a "
              "slash, ./%s",
              word,
              did_you_mean(word, (const char *const *)names.text, names.count),
              word);
    }
    if (access(path, F_OK))
        usage("%s: no such plugin file: build it, or give its path", path);
    snprintf(p.path, sizeof p.path, "%s", path);
    free(path);
    char *bytes = read_file(p.path, "plugin", &size);
    p.hash = hash_bytes(HASH_START, bytes, size);
    free(bytes);
    plugin_runs(p.path, " being loaded");
    p.variant = plugin_load(p.path, RTLD_NOW);
    plugin_runs(NULL, "");
    check_variant(p.path, p.variant);
    p.own_operator =
        dlsym(dlopen(p.path, RTLD_LAZY | RTLD_NOLOAD), "qkv_real_size");
    return p;
}
