/* find_plugin.c - finds and opens plugins. heart/plugin.c loads their shared
   objects. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qkv/real.h>

#include "base/report.h"
#include "config/find_plugin.h"
#include "equation/run_equation.h"
#include "heart/fail.h"

/* Linux has a link to the running program. On other systems, such as macOS and
   the BSDs, dladdr finds the file from which an address in memory was loaded,
   here the address of a text in the program. readlink adds no 0 at the end, but
   `path` is all 0 before. */
const char *
executable_directory(void)
{
    enum { LONGEST = 4096 }; /* realpath writes at most 4096 bytes */
    char path[LONGEST] = "";
    const char *text_of_program = "";
    Dl_info program;
    bool found = readlink("/proc/self/exe", path, sizeof path - 1) > 0;
    if (!found)
        found = dladdr(text_of_program, &program) &&
                realpath(program.dli_fname, path);
    if (!found)
        fail("could not find the directory of this program, which holds its "
             "variants: run it by its full path");
    *strrchr(path, '/') = 0; /* without the program's name */
    return interned(path);
}

char *
beside_program(const char *name)
{
    char *beside = within(executable_directory(), name);
    if (!access(beside, F_OK)) /* it exists */
        return beside;
    return within(executable_directory(), within("../share/qkv", name));
}

/* The directories in which plugins are looked for, in order. In qkv-double the
   folder "double" of a directory comes before the directory itself. */
static Values
search_path(void)
{
    Values path = {0};
    const char *from = getenv("QKV_PATH"), *here = executable_directory();
    char *all = format_text("%s:%s/variants:%s/../lib/qkv/variants",
                            from ? from : "", here, here);
    bool is_double = sizeof(real) == sizeof(double);
    for (char *folder = strtok(all, ":"); folder; folder = strtok(NULL, ":")) {
        if (is_double)
            values_add(&path, format_text("%s/double", folder));
        values_add(&path, folder);
    }
    return path;
}

/* Returns whether the name of a file has this ending, such as ".so". */
static bool
has_ending(const char *file, const char *ending)
{
    const char *dot = strrchr(file, '.');
    return dot && !strcmp(dot, ending);
}

enum { ENDING_LENGTH = 3 }; /* of ".so" and of ".eq" */

/* Returns whether the name of a file has the ending of a plugin, .so or .eq. */
static bool
is_plugin_file(const char *file)
{
    return has_ending(file, ".so") || has_ending(file, ".eq");
}

/* Returns whether the first n bytes of a text can be the name of a plugin. */
static bool
is_name(const char *text, size_t n)
{
    bool only_letters = strspn(text, NAME_LETTERS) >= n;
    return n > 0 && n < NAME_SIZE && only_letters;
}

const char *
plugin_name(const char *word)
{
    const char *slash = strrchr(word, '/'), *file = slash ? slash + 1 : word;
    size_t n = strlen(file); /* the length of the name */
    if (is_plugin_file(file))
        n -= ENDING_LENGTH;
    if (!is_name(file, n))
        usage("\"%s\" cannot name a variant: use 1 to %d letters, digits, - _ "
              "and +; write a file as a path, such as ./mine.c or ./mine.eq",
              word, NAME_SIZE - 1);
    return interned(format_text("%.*s", (int)n, file));
}

/* The words that were passed to plugin_trust in this command. */
static Values trusted;

void
plugin_trust(const char *word)
{
    values_add(&trusted, copy_text(word));
}

/* The path of the plugin of this name; NULL if no directory has it. */
static char *
plugin_find(const char *name)
{
    Values path = search_path();
    for (int i = 0; i < path.count; i++) {
        char *object = format_text("%s/%s.so", path.text[i], name);
        if (!access(object, F_OK))
            return object;
        char *equation = format_text("%s/%s.eq", path.text[i], name);
        if (!access(equation, F_OK))
            return equation;
    }
    return NULL;
}

const char *
plugin_trusted(const char *word)
{
    for (int i = 0; i < trusted.count; i++)
        if (!strcmp(trusted.text[i], word))
            return trusted.text[i];
    return plugin_name(word);
}

/* Compares two names, for qsort. */
static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

Values
plugin_list(void)
{
    Values names = {0};
    void *seen = NULL; /* the names so far, for add_word */
    Values path = search_path();
    for (int k = 0; k < path.count; k++) {
        Values files = names_in(path.text[k]);
        for (int i = 0; i < files.count; i++) {
            char *file = files.text[i];
            if (!is_plugin_file(file))
                continue;
            size_t n = strlen(file) - ENDING_LENGTH; /* of the name */
            if (!is_name(file, n))
                continue;
            file[n] = 0; /* only the plugin's name is left */
            bool is_new = add_word(&seen, file);
            if (is_new)
                values_add(&names, file);
        }
    }
    if (names.count) /* otherwise names.text is NULL */
        qsort(names.text, (size_t)names.count, sizeof *names.text, by_name);
    return names;
}

/* The setting that a name and a value declare. A valid name begins with a
   lower-case letter, has only lower-case letters, digits and "-", and fits into
   own.name. */
static OwnSetting
own_setting_of(const char *name, const char *value)
{
    OwnSetting own = {.name = ""};
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    bool only_letters = name[n] == 0;
    bool begins_well = name[0] >= 'a' && name[0] <= 'z';
    if (begins_well && only_letters && n < OWN_NAME_SIZE)
        strcpy(own.name, name);
    if (number_read(value, ANY_NUMBER, -OWN_MOST, OWN_MOST, &own.value))
        own.value = NAN;
    return own;
}

bool
next_own_setting(const char **list, OwnSetting *own)
{
    char word[64]; /* a word of the list; a longer word is read as several */
    int length;
    while (sscanf(*list, " %63s%n", word, &length) == 1) {
        char *equals = strchr(word, '=');
        *list += length;
        if (equals) {
            *equals = 0;
            *own = own_setting_of(word, equals + 1);
            return true;
        }
    }
    return false;
}

const char *
variant_uses(const Variant *v)
{
    const char *settings = v->settings ? v->settings : "";
    return interned(format_text("%s %s", v->shape, settings));
}

/* Returns whether a variant's .settings are valid: at most MOST_OWN settings,
   each with a name and a number, in a list that fits into half of USES_SIZE.
   The other half is for .shape (variant_uses). */
static bool
settings_are_valid(const char *list)
{
    static const char blanks[] = " \t\n\v\f\r"; /* as sscanf skips them */
    char *words = copy_text(list);
    int count = 0;
    for (char *word = strtok(words, blanks); word;
         word = strtok(NULL, blanks)) {
        char *equals = strchr(word, '=');
        if (!equals)
            return false;
        *equals = 0;
        OwnSetting own = own_setting_of(word, equals + 1);
        if (!*own.name || isnan(own.value))
            return false;
        count++;
    }
    return count <= MOST_OWN && strlen(list) < USES_SIZE / 2;
}

/* Exits if .shape has a word that is not a shape option. */
static void
check_shape(const char *path, const Variant *v)
{
    char *shape = copy_text(v->shape);
    for (char *word = strtok(shape, " "); word; word = strtok(NULL, " "))
        if (index_in(SHAPE_OPTIONS, word) < 0)
            fail("%s: qkv_variant.shape contains \"%s\", which is not a "
                 "shape option: use only %s",
                 path, word, SHAPE_OPTIONS);
}

/* Exits if a field of a variant is not set. */
static void
check_field(const char *path, const char *field, bool is_set)
{
    if (!is_set)
        fail("%s: qkv_variant.%s is NULL: set it, as variants/standard.c does",
             path, field);
}

/* Exits if a field that every variant needs is NULL, or if .shape or .settings
   is not valid. */
static void
check_variant(const char *path, const Variant *v)
{
    check_field(path, "equation", v->equation);
    check_field(path, "shape", v->shape);
    check_field(path, "weights", v->weights);
    check_field(path, "forward", v->forward);
    check_shape(path, v);
    if (v->settings && !settings_are_valid(v->settings))
        fail("%s: its settings are \"%s\": write at most %d NAME=NUMBER in %d "
             "bytes, with names of up to %d lower-case letters, digits and -",
             path, v->settings, MOST_OWN, USES_SIZE / 2 - 1, OWN_NAME_SIZE - 1);
}

/* Loads a shared object. Loading runs the object's constructors, which may
   crash; report_running notes which plugin would be to blame. Only a plugin
   that defines an operator has the symbol qkv_real_size (<qkv/operator.h>). To
   look for it, dlsym needs the handle of the object. plugin_load does not
   return the handle, but a second dlopen does. */
static void
load_object(Plugin *p)
{
    size_t size;
    char *bytes = read_file(p->path, "plugin", &size);
    p->hash = hash_bytes(HASH_START, bytes, size);
    p->equation = "";
    free(bytes);
    report_running(p->path, " being loaded");
    p->variant = plugin_load(p->path, RTLD_NOW);
    report_returned();
    void *object = dlopen(p->path, RTLD_LAZY | RTLD_NOLOAD);
    p->own_operator = dlsym(object, "qkv_real_size") != NULL;
}

/* Makes a variant from the text of an equation. The hash is computed from the
   equation without comments and extra spaces. So two files with the same
   equation count as the same plugin, and share their runs. */
static void
load_equation(Plugin *p, const char *text)
{
    report_running(p->path, " being read");
    p->variant = variant_of_text(p->path, text);
    report_returned();
    p->equation = p->variant->equation;
    p->hash = hash_bytes(HASH_START, p->equation, strlen(p->equation));
}

Plugin
plugin_open(const char *word)
{
    word = plugin_trusted(word);
    Plugin p = {.name = plugin_name(word),
                .path = strchr(word, '/') ? word : plugin_find(word)};
    if (!p.path) {
        Values known = plugin_list();
        usage("unknown variant \"%s\":%s `qkv list` lists all variants; the "
              "path of a file needs a slash, as in ./%s",
              word, suggestion(word, &known), word);
    }
    if (has_ending(p.path, ".eq"))
        load_equation(&p, read_text(p.path, "equation"));
    else
        load_object(&p);
    report_opened(p.variant, p.path);
    check_variant(p.path, p.variant);
    return p;
}

/* An equation may use settings, so a line that declares them is put before it.
 */
Plugin
plugin_of(const Config *c)
{
    if (!*c->equation)
        return plugin_open(c->variant);
    Plugin p = {.name = plugin_name(c->variant), .path = c->variant};
    const char *text = c->equation;
    if (*c->settings)
        text = format_text("settings: %s; %s", c->settings, text);
    load_equation(&p, text);
    report_opened(p.variant, p.path);
    check_variant(p.path, p.variant);
    return p;
}
