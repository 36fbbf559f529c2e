/* manifest.c - what was asked of an experiment: experiment.tsv. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <qkv/real.h>

#include "base/files.h"
#include "base/tsv.h"
#include "base/words.h"
#include "config/tasks.h"
#include "heart/fail.h"
#include "run/manifest.h"

enum { FORMAT = 3 };
static const char record[] = "experiment.tsv";
static const char remedy[] = "empty the file, and the command that made the "
                             "experiment records it again";
const char manifest_keys[] =
    "command precision by baseline judge margin from run to";
static const char verdict_keys[] =
    "by baseline judge margin"; /* change no run */

Manifest
manifest_begin(const char *command)
{
    Manifest a = {0};
    manifest_add(&a, "command", command);
    if (sizeof(real) == sizeof(double))
        manifest_add(&a, "precision", "double");
    return a;
}

void
manifest_add(Manifest *a, const char *key, const char *value)
{
    values_add(&a->keys, copy_text(key));
    values_add(&a->values, copy_text(value));
}

void
manifest_free(Manifest *a)
{
    values_free(&a->keys);
    values_free(&a->values);
}

const char *
manifest_value(const Manifest *a, const char *key)
{
    for (int i = 0; i < a->keys.count; i++)
        if (!strcmp(a->keys.text[i], key))
            return a->values.text[i];
    return NULL;
}

/* Has b all that a has, with the same values, but for those keys? */
static bool
has_all(const Manifest *a, const Manifest *b, const char *but)
{
    for (int i = 0; i < a->keys.count; i++) {
        const char *key = a->keys.text[i], *other = manifest_value(b, key);
        if (index_in(but, key) < 0 &&
            (!other || strcmp(a->values.text[i], other)))
            return false;
    }
    return true;
}

bool
manifest_equal(const Manifest *a, const Manifest *b)
{
    return has_all(a, b, "") && has_all(b, a, "");
}

/* Do they ask for the same runs? A baseline changes them where they --match
   it. */
static bool
alike(const Manifest *a, const Manifest *b)
{
    const char *but =
        manifest_value(a, "match") ? "by judge margin" : verdict_keys;
    return has_all(a, b, but) && has_all(b, a, but);
}

/* Adds " --NAME VALUE", or the value alone. */
static void
add_argument(char **text, const char *name, const char *value)
{
    char *word = quoted(value);
    replace(text, *name ? format_text("%s --%s %s", *text, name, word)
                        : format_text("%s %s", *text, word));
    free(word);
}

char *
manifest_command(const Manifest *a, const char *out)
{
    char *text = format_text(
        "%s %s", manifest_value(a, "precision") ? "qkv-double" : "qkv",
        a->values.text[0]);
    for (int i = 1; i < a->keys.count; i++) {
        const char *key = a->keys.text[i], *value = a->values.text[i];
        bool usual = !strcmp(key, "baseline") && !strcmp(value, BASELINE);
        if (!usual && strcmp(key, "precision"))
            add_argument(&text, strcmp(key, "run") ? key : "", value);
    }
    add_argument(&text, "out", out);
    return text;
}

/* Is it a line that a command writes? An experiment may be a stranger's. */
static bool
is_line(const char *key, const char *value)
{
    Config trial = config_start();
    if (!is_text(value) || !*value)
        return false;
    if (!strcmp(key, "command"))
        return index_in("compare train equiv", value) >= 0;
    if (index_in(manifest_keys, key) >= 0)
        return true;
    const Setting *s = setting_named(key);
    if (!s && is_own_name(key)) /* no run has told of it yet */
        s = setting_declare(key);
    if (!s || !s->help)
        return false;
    if (!strcmp(key, "lr") && !strcmp(value, "auto"))
        return true;
    Values v = values_cut(strcmp(key, "file") ? value : "");
    bool good = true;
    for (int i = 0; i < v.count; i++)
        good &= !setting_set(s, &trial, v.text[i]);
    values_free(&v);
    return good;
}

static _Noreturn void
not_ours(const char *path, int line)
{
    fail("%s:%d: is not what qkv writes there: it was changed, or another "
         "version wrote it; %s",
         path, line, remedy);
}

Manifest *
manifest_read(const char *directory, int *count)
{
    Path path = below(directory, record);
    struct stat facts;
    Manifest *list = NULL;
    int room = *count = 0;
    if (stat(path.text, &facts) || !facts.st_size)
        return NULL;
    Table t = table_read_or(path.text, remedy);
    if (t.cols != 2 || t.rows < 1 || strcmp(table_cell(&t, 0, 0), "format") ||
        atoi(table_cell(&t, 0, 1)) != FORMAT)
        not_ours(path.text, 2);
    for (int i = 1; i < t.rows; i++) {
        const char *key = table_cell(&t, i, 0), *value = table_cell(&t, i, 1);
        bool begins = !strcmp(key, "command");
        if (begins) {
            list = grow(list, *count, &room, sizeof *list);
            list[(*count)++] = (Manifest){0};
        }
        if (!*count || manifest_value(&list[*count - 1], key) ||
            !is_line(key, value))
            not_ours(path.text, i + 2);
        manifest_add(&list[*count - 1], key, value);
    }
    table_free(&t);
    return list;
}

static void
write_record(const char *directory, const Manifest *list, int count)
{
    Draft *d = draft_begin(directory, record);
    FILE *file = begin_file(d->path.text, record);
    fprintf(file, "key\tvalue\nformat\t%d\n", FORMAT);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < list[i].keys.count; k++)
            fprintf(file, "%s\t%s\n", list[i].keys.text[k],
                    list[i].values.text[k]);
    end_file(file, d->path.text, record);
    draft_publish_all(d);
}

/* Does it say itself which runs it asks for, whatever else is asked? */
static bool
is_grid(const Manifest *a)
{
    return manifest_value(a, "variant") && manifest_value(a, "task") &&
           manifest_value(a, "seed") && !manifest_value(a, "from") &&
           !manifest_value(a, "same-start") && !manifest_value(a, "match");
}

/* Has the comparison the values of its task that a train does not name? Shape
   options that follow from others a plan leaves out. */
static bool
has_usual(const Manifest *compare, const Manifest *train)
{
    char value[VALUE_SIZE];
    Config usual = task_start(manifest_value(train, "task"));
    for (int i = 1; i < compare->keys.count; i++) {
        const char *key = compare->keys.text[i];
        const Setting *s = setting_named(key);
        if (!s || s->role == OF_SHAPE || manifest_value(train, key))
            continue;
        setting_print(s, &usual, value);
        if (index_in(compare->values.text[i], value) < 0)
            return false;
    }
    return true;
}

/* Is the run of a train, as a plan has one for each run, among those of a
   comparison? */
static bool
covers(const Manifest *compare, const Manifest *train)
{
    if (strcmp(compare->values.text[0], "compare") ||
        strcmp(train->values.text[0], "train") || !is_grid(compare) ||
        !is_grid(train) ||
        !manifest_value(compare, "precision") !=
            !manifest_value(train, "precision"))
        return false;
    for (int i = 1; i < train->keys.count; i++) {
        const char *key = train->keys.text[i], *given = train->values.text[i];
        const char *has = manifest_value(compare, key);
        if (!has || (strcmp(has, given) &&
                     (!strcmp(key, "file") || index_in(has, given) < 0)))
            return false;
    }
    return has_usual(compare, train);
}

void
manifest_record(const char *directory, const Manifest *a)
{
    Path path = below(directory, record);
    bool ours = !access(path.text, W_OK) || errno == ENOENT;
    /* NFS locks only what is open for writing */
    int lock = lock_path(path.text, ours ? O_RDWR | O_CREAT : O_RDONLY);
    int count, kept = 0;
    Manifest *list = manifest_read(directory, &count);
    bool known = false;
    for (int i = 0; i < count; i++)
        known |= manifest_equal(&list[i], a) || covers(&list[i], a);
    for (int i = 0; i < count && !known; i++)
        if (alike(&list[i], a) || covers(a, &list[i]))
            manifest_free(&list[i]);
        else
            list[kept++] = list[i];
    if (!known) {
        count = kept;
        list = grow(list, count, &kept, sizeof *list);
        list[count] = *a; /* the caller's, only written */
        write_record(directory, list, count + 1);
    }
    for (int i = 0; i < count; i++)
        manifest_free(&list[i]);
    free(list);
    close(lock);
}
