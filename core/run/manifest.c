/* manifest.c - what was asked of an experiment: experiment.tsv. */
#include <fcntl.h>
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

static bool
is_recorded(const char *directory, const Manifest *a)
{
    bool found = false;
    int count;
    Manifest *list = manifest_read(directory, &count);
    for (int i = 0; i < count; i++) {
        found |= !strcmp(list[i].line, a->line);
        manifest_free(&list[i]);
    }
    free(list);
    return found;
}

void
manifest_record(const char *directory, const Manifest *a)
{
    Path path = within(directory, record);
    if (is_recorded(directory, a)) /* which may be somebody else's to write */
        return;
    int file = lock_path(path.text, O_RDWR | O_CREAT | O_APPEND);
    off_t size = lseek(file, 0, SEEK_END);
    char *line =
        format_text("%s%s%s\n", size ? "" : begin, size ? "" : "\n", a->line);
    ssize_t length = (ssize_t)strlen(line);
    if (!is_recorded(directory, a) &&
        write(file, line, (size_t)length) != length) {
        if (ftruncate(file, size)) /* what is left of it says what is wrong */
            note("%s: a line of it is cut", path.text);
        fail("%s: cannot be written: is the disk full?", path.text);
    }
    free(line);
    close(file);
}
