/* asked.c - what was asked of an experiment: experiment.tsv. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/words.h"
#include "task/config.h"
#include "run/asked.h"

enum { FORMAT = 3 };
static const char record[] = "experiment.tsv";
const char asked_keys[] = "command precision baseline recipe from run to";

Asked
asked_begin(const char *command)
{
    Asked a = {0};
    asked_add(&a, "command", command);
    return a;
}

void
asked_add(Asked *a, const char *key, const char *value)
{
    values_add(&a->keys, copy_text(key));
    values_add(&a->values, copy_text(value));
}

void
asked_free(Asked *a)
{
    values_free(&a->keys);
    values_free(&a->values);
}

const char *
asked_value(const Asked *a, const char *key)
{
    for (int i = 0; i < a->keys.count; i++)
        if (!strcmp(a->keys.text[i], key))
            return a->values.text[i];
    return NULL;
}

/* Do they say the same, but for that key? */
static bool
equal_but(const Asked *a, const Asked *b, const char *key)
{
    bool same = a->keys.count == b->keys.count;
    for (int i = 0; same && i < a->keys.count; i++)
        same = !strcmp(a->keys.text[i], b->keys.text[i]) &&
               (!strcmp(a->keys.text[i], key) ||
                !strcmp(a->values.text[i], b->values.text[i]));
    return same;
}

bool
asked_equal(const Asked *a, const Asked *b)
{
    return equal_but(a, b, "");
}

bool
asked_alike(const Asked *a, const Asked *b)
{
    return equal_but(a, b, asked_value(a, "match") ? "" : "baseline");
}

/* Adds " --NAME VALUE", or the value alone, quoted where a shell asks for it.
 */
static void
add_argument(char **text, const char *name, const char *value)
{
    bool plain = strspn(value, NAME_LETTERS ",.=/") == strlen(value);
    char *word = plain ? copy_text(value) : quoted(value);
    replace(text, *name ? format_text("%s --%s %s", *text, name, word)
                        : format_text("%s %s", *text, word));
    free(word);
}

char *
asked_command(const Asked *a, const char *out)
{
    char *text =
        format_text("%s %s", asked_value(a, "precision") ? "qkv-double" : "qkv",
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
    const Setting *s = setting_named(key);
    Config trial = config_start();
    if (!is_text(value) || !*value)
        return false;
    if (!strcmp(key, "command"))
        return index_in("compare train equiv", value) >= 0;
    if (index_in(asked_keys, key) >= 0)
        return true;
    if (!s || !s->help)
        return false;
    Values v = values_cut(strcmp(key, "file") ? value : "");
    bool good = true;
    for (int i = 0; i < v.count; i++)
        good &= !setting_set(s, &trial, v.text[i]);
    values_free(&v);
    return good;
}

/* Cuts a line "KEY\tVALUE\n" off a text; false where it is none. */
static bool
next_line(char **text, char **key, char **value)
{
    char *end = strchr(*text, '\n'), *tab = strchr(*text, '\t');
    if (!end || !tab || tab > end || memchr(tab + 1, '\t', end - tab - 1))
        return false;
    *tab = *end = 0;
    *key = *text;
    *value = tab + 1;
    *text = end + 1;
    return true;
}

/* Of format 2, an older qkv's, there is nothing but these two lines. */
static bool
is_head(char **text)
{
    char *key, *value;
    return next_line(text, &key, &value) && !strcmp(key, "key") &&
           next_line(text, &key, &value) && !strcmp(key, "format") &&
           (!strcmp(value, "3") || (!strcmp(value, "2") && !**text));
}

Asked *
asked_read(const char *directory, int *count)
{
    Path path = below(directory, record);
    struct stat facts;
    Asked *list = NULL;
    size_t size;
    int room = *count = 0, number = 3;
    if (stat(path.text, &facts) || !facts.st_size)
        return NULL;
    char *text = read_file(path.text, "record", &size), *at = text, *key,
         *value;
    bool good = strlen(text) == size && is_head(&at);
    for (; good && *at; number++) {
        good = next_line(&at, &key, &value) && is_line(key, value);
        if (good && !strcmp(key, "command")) {
            list = grow(list, *count, &room, sizeof *list);
            list[(*count)++] = asked_begin(value);
        } else if (good &&
                   (good = *count && !asked_value(&list[*count - 1], key)))
            asked_add(&list[*count - 1], key, value);
    }
    if (!good)
        fail("%s:%d: is not what qkv writes there: it was cut or changed, or "
             "another version wrote it; empty the file, and the command that "
             "made the experiment records it again",
             path.text, number > 3 ? number - 1 : 2);
    free(text);
    return list;
}

/* Opens and locks the record, which is there from then on. */
static int
lock_record(const char *directory)
{
    Path path = below(directory, record);
    struct stat locked, there;
    for (;;) {
        int lock =
            open(path.text, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (lock < 0)
            fail("%s: cannot be opened: %s", path.text, strerror(errno));
        flock(lock, LOCK_EX);
        if (!fstat(lock, &locked) && !lstat(path.text, &there) &&
            locked.st_ino == there.st_ino)
            return lock;
        close(lock); /* somebody has replaced it meanwhile */
    }
}

static void
write_record(const char *directory, const Asked *list, int count)
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

void
asked_record(const char *directory, const Asked *a)
{
    int count, lock = lock_record(directory), at = 0;
    Asked *list = asked_read(directory, &count);
    int room = count, all = count;
    list = grow(list, count, &room, sizeof *list);
    while (at < count && !asked_alike(&list[at], a))
        at++;
    if (at == count || !asked_equal(&list[at], a)) {
        if (at == count)
            all++;
        else
            asked_free(&list[at]);
        list[at] = *a;
        write_record(directory, list, all);
        list[at] = (Asked){0};
    }
    for (int i = 0; i < count; i++)
        asked_free(&list[i]);
    free(list);
    close(lock);
}
