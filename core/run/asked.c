/* asked.c - what was asked of an experiment: experiment.tsv. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <qkv/real.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/tsv.h"
#include "base/words.h"
#include "task/settings.h"
#include "run/asked.h"

enum { FORMAT = 3 };
static const char record[] = "experiment.tsv";
static const char remedy[] = "empty the file, and the command that made the "
                             "experiment records it again";
const char asked_keys[] =
    "command precision by baseline judge margin from run to";
static const char verdict_keys[] =
    "by baseline judge margin"; /* change no run */

Asked
asked_begin(const char *command)
{
    Asked a = {0};
    asked_add(&a, "command", command);
    if (sizeof(real) == sizeof(double))
        asked_add(&a, "precision", "double");
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

/* Has b all that a has, with the same values, but for those keys? */
static bool
has_all(const Asked *a, const Asked *b, const char *but)
{
    for (int i = 0; i < a->keys.count; i++) {
        const char *key = a->keys.text[i], *other = asked_value(b, key);
        if (index_in(but, key) < 0 &&
            (!other || strcmp(a->values.text[i], other)))
            return false;
    }
    return true;
}

bool
asked_equal(const Asked *a, const Asked *b)
{
    return has_all(a, b, "") && has_all(b, a, "");
}

/* Do they ask for the same runs? A baseline changes them where they --match
   it. */
static bool
alike(const Asked *a, const Asked *b)
{
    const char *but =
        asked_value(a, "match") ? "by judge margin" : verdict_keys;
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
    Config trial = config_start();
    if (!is_text(value) || !*value)
        return false;
    if (!strcmp(key, "command"))
        return index_in("compare train equiv", value) >= 0;
    if (index_in(asked_keys, key) >= 0)
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

Asked *
asked_read(const char *directory, int *count)
{
    Path path = below(directory, record);
    struct stat facts;
    Asked *list = NULL;
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
            list[(*count)++] = (Asked){0};
        }
        if (!*count || asked_value(&list[*count - 1], key) ||
            !is_line(key, value))
            not_ours(path.text, i + 2);
        asked_add(&list[*count - 1], key, value);
    }
    table_free(&t);
    return list;
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

/* The values of two lists, each once; to be freed. */
static char *
both_lists(const char *a, const char *b)
{
    Values all = values_cut(a), more = values_cut(b);
    for (int i = 0; i < more.count; i++)
        if (index_in(a, more.text[i]) < 0)
            values_add(&all, copy_text(more.text[i]));
    qsort(all.text, (size_t)all.count, sizeof *all.text, in_natural_order);
    char *text = joined(&all, ",");
    values_free(&all);
    values_free(&more);
    return text;
}

/* Are all values of b among those of a? */
static bool
has_values(const char *a, const char *b)
{
    Values values = values_cut(b);
    bool has = true;
    for (int i = 0; i < values.count; i++)
        has &= index_in(a, values.text[i]) >= 0;
    values_free(&values);
    return has;
}

/* May its lists grow? What it leaves to the command's defaults, or finds by
   looking at all that it was asked for, would then be another thing. */
static bool
is_grid(const Asked *a)
{
    const char *lr = asked_value(a, "lr");
    return (!lr || strcmp(lr, "auto")) && asked_value(a, "variant") &&
           asked_value(a, "task") && asked_value(a, "seed") &&
           !asked_value(a, "from") && !asked_value(a, "same-start") &&
           !asked_value(a, "match");
}

/* How many keys it has that decide what is run. */
static int
settings_of(const Asked *a)
{
    int count = 0;
    for (int i = 0; i < a->keys.count; i++)
        count += index_in(verdict_keys, a->keys.text[i]) < 0;
    return count;
}

/* Makes a ask for b's runs too, if it then asks for no others: it has them all,
   or the two differ in the values of one setting. So the trains of a plan leave
   few commands, and none beside the comparison that they are part of. */
static bool
unite(Asked *a, const Asked *b)
{
    bool train = !strcmp(b->values.text[0], "train");
    bool part = train && !strcmp(a->values.text[0], "compare");
    int differ = 0, more = 0, at = 0;
    if ((!part && strcmp(a->values.text[0], b->values.text[0])) ||
        (!part && a->keys.count != b->keys.count) ||
        settings_of(a) != settings_of(b) || !is_grid(a) || !is_grid(b))
        return false;
    for (int i = 1; i < a->keys.count; i++) {
        const char *key = a->keys.text[i], *has = a->values.text[i];
        const char *given = asked_value(b, key);
        if (given ? !strcmp(has, given)
                  : part && index_in(verdict_keys, key) >= 0)
            continue;
        if (!given || !setting_named(key) || !strcmp(key, "file"))
            return false;
        bool grows = !has_values(has, given);
        differ += grows || !has_values(given, has);
        more += grows;
        at = grows ? i : at;
    }
    if (more && differ > 1)
        return false;
    if (more)
        replace(
            &a->values.text[at],
            both_lists(a->values.text[at], asked_value(b, a->keys.text[at])));
    return true;
}

/* Unites the command at `at` with others, as far as it goes; returns how many
   there are then. */
static int
united(Asked *list, int count, int at)
{
    for (int i = 0; i < count; i++) {
        bool kept = i != at && unite(&list[i], &list[at]);
        if (i == at || (!kept && !unite(&list[at], &list[i])))
            continue;
        int gone = kept ? at : i;
        at = kept ? i : at;
        asked_free(&list[gone]);
        memmove(list + gone, list + gone + 1,
                (size_t)(--count - gone) * sizeof *list);
        at -= at > gone;
        i = -1;
    }
    return count;
}

void
asked_record(const char *directory, const Asked *a)
{
    Path path = below(directory, record);
    bool ours = !access(path.text, W_OK) || errno == ENOENT;
    /* NFS locks only what is open for writing */
    int lock = lock_path(path.text, ours ? O_RDWR | O_CREAT : O_RDONLY);
    int count, at = 0;
    Asked *list = asked_read(directory, &count);
    int room = count;
    list = grow(list, count, &room, sizeof *list);
    while (at < count && !alike(&list[at], a))
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
