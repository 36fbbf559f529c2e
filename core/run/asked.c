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
const char asked_keys[] = "command precision baseline from run to";

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

static Asked
asked_copy(const Asked *a)
{
    Asked copy = {0};
    for (int i = 0; i < a->keys.count; i++)
        asked_add(&copy, a->keys.text[i], a->values.text[i]);
    return copy;
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
    bool list = false; /* of values: a grid, though each was a train */
    for (int i = 1; i < a->keys.count && !strcmp(a->values.text[0], "train");
         i++)
        list |= setting_named(a->keys.text[i]) &&
                strcmp(a->keys.text[i], "file") &&
                strchr(a->values.text[i], ',');
    char *text =
        format_text("%s %s", asked_value(a, "precision") ? "qkv-double" : "qkv",
                    list ? "compare" : a->values.text[0]);
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

static int
in_order(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int order = natural_order(x, y);
    return order ? order : strcmp(x, y);
}

/* The values of two lists, each once; to be freed. */
static char *
both_lists(const char *a, const char *b)
{
    char *text = format_text("%s,%s", a, b);
    Values all = values_cut(text), once = {0};
    qsort(all.text, (size_t)all.count, sizeof *all.text, in_order);
    for (int i = 0; i < all.count; i++)
        if (!i || strcmp(all.text[i], all.text[i - 1]))
            values_add(&once, all.text[i]);
    replace(&text, joined(&once, ","));
    free(once.text); /* the words are those of `all` */
    values_free(&all);
    return text;
}

/* Are all values of b among those of a? */
static bool
has_values(const char *a, const char *b)
{
    char *x = both_lists(a, a), *y = both_lists(a, b);
    bool has = !strcmp(x, y);
    free(x);
    free(y);
    return has;
}

/* May its lists grow? What it leaves to the command's defaults, or finds by
   looking at all that it was asked for, would then be another thing. */
static bool
is_grid(const Asked *a)
{
    return asked_value(a, "variant") && asked_value(a, "task") &&
           asked_value(a, "seed") && !asked_value(a, "from") &&
           !asked_value(a, "same-start") && !asked_value(a, "match");
}

/* Makes a ask for b's runs too, if it then asks for no others: it has them all,
   or the two differ in the values of one setting. So the trains of a plan leave
   few commands, and none beside the comparison that they are part of. */
static bool
unite(Asked *a, const Asked *b)
{
    bool part = !strcmp(a->values.text[0], "compare") &&
                !strcmp(b->values.text[0], "train"),
         less = false;
    int other = -1;
    if ((!part && strcmp(a->values.text[0], b->values.text[0])) ||
        a->keys.count != b->keys.count + part || !is_grid(a) || !is_grid(b))
        return false;
    for (int i = 1; i < a->keys.count; i++) {
        const char *key = a->keys.text[i], *value = asked_value(b, key);
        if (part && !value && !strcmp(key, "baseline"))
            continue;
        if (value && !strcmp(a->values.text[i], value))
            continue;
        if (!value || !setting_named(key) || !strcmp(key, "file"))
            return false;
        if (has_values(a->values.text[i], value)) {
            less |= !has_values(value, a->values.text[i]);
            continue;
        }
        if (other >= 0)
            return false;
        other = i;
    }
    if (other >= 0 && less)
        return false;
    if (other >= 0)
        replace(&a->values.text[other],
                both_lists(a->values.text[other],
                           asked_value(b, a->keys.text[other])));
    return true;
}

/* Unites the command at `at` with others, as far as it goes; returns how many
   there are then. */
static int
united(Asked *list, int count, int at)
{
    for (int i = 0; i < count; i++) {
        if (i == at)
            continue;
        int kept = unite(&list[i], &list[at])   ? i
                   : unite(&list[at], &list[i]) ? at
                                                : -1;
        if (kept < 0)
            continue;
        int gone = kept == i ? at : i;
        asked_free(&list[gone]);
        memmove(list + gone, list + gone + 1,
                (size_t)(--count - gone) * sizeof *list);
        at = kept - (kept > gone);
        i = -1;
    }
    return count;
}

void
asked_record(const char *directory, const Asked *a)
{
    int count, lock = lock_record(directory), at = 0;
    Asked *list = asked_read(directory, &count);
    int room = count;
    list = grow(list, count, &room, sizeof *list);
    while (at < count && !asked_alike(&list[at], a))
        at++;
    if (at == count || !asked_equal(&list[at], a)) {
        if (at == count)
            count++;
        else
            asked_free(&list[at]);
        list[at] = asked_copy(a);
        count = united(list, count, at);
        write_record(directory, list, count);
    }
    for (int i = 0; i < count; i++)
        asked_free(&list[i]);
    free(list);
    close(lock);
}
