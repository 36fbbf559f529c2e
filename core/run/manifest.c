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

static const char record[] = "experiment.tsv";
const char manifest_keys[] = "precision by baseline judge margin from";

char *
manifest_begin(const char *command)
{
    char *line = copy_text(command);
    if (sizeof(real) == sizeof(double))
        manifest_add(&line, "precision", "double");
    return line;
}

void
manifest_add(char **line, const char *key, const char *value)
{
    if (!is_text(value))
        fail("\"%s\": it has a control character or bytes that are no UTF-8, "
             "and cannot be recorded: rename it",
             key);
    replace(line, format_text("%s\t%s=%s", *line, key, value));
}

const char *
manifest_value(const char *line, const char *key)
{
    char *wanted = format_text("\t%s=", key);
    const char *at = strstr(line, wanted), *value = NULL;
    if (at) {
        char *copy = copy_text(at + strlen(wanted));
        copy[strcspn(copy, "\t")] = 0;
        value = interned(copy);
        free(copy);
    }
    free(wanted);
    return value;
}

/* Nothing of a line commands a terminal. What else it says is data, looked up
   among the settings and values that runs have. */
Values
manifest_read(const char *directory)
{
    Path path = within(directory, record);
    Values lines = {0};
    size_t size;
    if (access(path.text, F_OK))
        return lines;
    char *text = read_own_file(path.text, "record", &size), *line = text;
    for (int i = 1; *line; i++) {
        char *end = line + strcspn(line, "\n");
        bool whole = *end == '\n';
        *end = 0;
        if (i > 1)
            values_add(&lines, copy_text(line));
        for (char *c = line; c < end; c++)
            *c = *c == '\t' ? ' ' : *c;
        if (!whole || !is_text(line) || (i == 1 && strcmp(line, "format 4")))
            fail("%s:%d: not what qkv writes there: it was changed, or another "
                 "version wrote it; empty the file, and the command that made "
                 "the experiment records it again",
                 path.text, i);
        line = end + 1;
    }
    free(text);
    return lines;
}

void
manifest_record(const char *directory, const char *line)
{
    Path path = within(directory, record);
    Values lines = manifest_read(directory);
    bool there = false; /* then it may be read-only */
    for (int i = 0; i < lines.count; i++)
        there |= !strcmp(lines.text[i], line);
    values_free(&lines);
    if (there)
        return;
    int file = lock_path(path.text, O_RDWR | O_CREAT | O_APPEND);
    off_t size = lseek(file, 0, SEEK_END);
    if (dprintf(file, "%s%s\n", size ? "" : "format\t4\n", line) < 0) {
        const char *why = strerror(errno);
        if (ftruncate(file, size))
            note("%s: a line of it is cut", path.text);
        fail("%s: cannot be written: %s", path.text, why);
    }
    close(file);
}
