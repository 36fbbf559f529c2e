/* manifest.c - what was asked of an experiment: experiment.tsv. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qkv/real.h>

#include "base/files.h"
#include "base/words.h"
#include "heart/fail.h"
#include "run/manifest.h"

static const char record[] = "experiment.tsv", begin[] = "format\t4";
const char manifest_keys[] = "precision by baseline judge margin from run to";

Manifest
manifest_begin(const char *command)
{
    Manifest a = {copy_text(command)};
    if (sizeof(real) == sizeof(double))
        manifest_add(&a, "precision", "double");
    return a;
}

void
manifest_add(Manifest *a, const char *key, const char *value)
{
    if (!is_text(value))
        fail("\"%s\": it has a control character or bytes that are no UTF-8, "
             "and cannot be recorded: rename it",
             key);
    replace(&a->line, format_text("%s\t%s=%s", a->line, key, value));
}

void
manifest_free(Manifest *a)
{
    free(a->line);
}

const char *
manifest_value(const Manifest *a, const char *key)
{
    char *wanted = format_text("\t%s=", key);
    const char *at = strstr(a->line, wanted), *value = NULL;
    if (at) {
        at += strlen(wanted);
        char *copy = format_text("%.*s", (int)strcspn(at, "\t"), at);
        value = interned(copy);
        free(copy);
    }
    free(wanted);
    return value;
}

/* Nothing of a line commands a terminal. What else it says is data, looked up
   among the settings and values that runs have. */
static bool
is_line(const char *line)
{
    char *copy = copy_text(line);
    for (char *c = copy; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    bool good = *copy && is_text(copy);
    free(copy);
    return good;
}

Manifest *
manifest_read(const char *directory, int *count)
{
    Path path = within(directory, record);
    Manifest *list = NULL;
    size_t size;
    int room = *count = 0;
    if (access(path.text, F_OK))
        return NULL;
    char *text = read_own_file(path.text, "record", &size), *line = text;
    for (int i = 1; *line; i++) {
        char *end = line + strcspn(line, "\n");
        bool whole = *end == '\n';
        *end = 0;
        if (!whole || (i == 1 ? strcmp(line, begin) : !is_line(line)))
            fail("%s:%d: not what qkv writes there: it was changed, or another "
                 "version wrote it; empty the file, and the command that made "
                 "the experiment records it again",
                 path.text, i);
        if (i > 1) {
            list = grow(list, *count, &room, sizeof *list);
            list[(*count)++].line = copy_text(line);
        }
        line = end + 1;
    }
    free(text);
    return list;
}

void
manifest_record(const char *directory, const Manifest *a)
{
    Path path = within(directory, record);
    bool ours = access(path.text, F_OK) || !access(path.text, W_OK);
    int file = lock_path(path.text, ours ? O_RDWR | O_CREAT | O_APPEND : 0);
    int count, last = 0;
    Manifest *list = manifest_read(directory, &count);
    while (last < count && strcmp(list[last].line, a->line))
        last++;
    off_t size = lseek(file, 0, SEEK_END);
    if (last == count && dprintf(file, "%s%s%s\n", size ? "" : begin,
                                 size ? "" : "\n", a->line) < 0) {
        const char *why = ours ? strerror(errno) : "it is read-only";
        if (ours && ftruncate(file, size))
            note("%s: a line of it is cut", path.text);
        fail("%s: cannot be written: %s", path.text, why);
    }
    for (int i = 0; i < count; i++)
        manifest_free(&list[i]);
    free(list);
    close(file);
}
