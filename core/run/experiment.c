/* experiment.c - a directory of runs, and its record of the commands that made
   them, experiment.tsv. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/experiment.h"

static const char record[] = "experiment.tsv";

void
manifest_add(char **line, const char *key, const char *value)
{
    *line = format_text("%s\t%s=%s", *line, key, value);
}

const char *
manifest_value(const char *line, const char *key)
{
    char *wanted = format_text("\t%s=", key), *at = strstr(line, wanted);
    if (!at)
        return NULL;
    at += strlen(wanted);
    int length = (int)strcspn(at, "\t");
    return interned(format_text("%.*s", length, at));
}

/* A line is refused if it has no newline, because it was cut off, or if it has
   control characters, because a message may print it on a terminal. Its keys
   and values are not checked. */
void
manifest_read(const char *directory, Values *lines)
{
    char *path = within(directory, record);
    if (access(path, F_OK))
        return;
    char *line = read_text(path, "record");
    for (int number = 1; *line; number++) {
        char *end = line + strcspn(line, "\n");
        bool whole = *end == '\n';
        *end = 0;
        values_add(lines, copy_text(line));
        /* Tabs are allowed; is_text finds any other control character. */
        replace_in(line, "\t", ' ');
        if (!whole || !is_text(line))
            fail("%s:%d: qkv did not write this line: the file was cut or "
                 "changed; empty it, and give the experiment's command again",
                 path, number);
        line = end + 1;
    }
}

/* Appends the line in one system call, so that another process never reads half
   of it. */
static void
append_line(const char *path, const char *line)
{
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || dprintf(file, "%s\n", line) < 0)
        fail("%s: could not write it: %s; choose another directory", path,
             strerror(errno));
    close(file);
}

/* Appends a line to the record unless the record has it already. The lock makes
   commands that run at the same time wait for one another. */
static void
manifest_record(const char *directory, const char *line)
{
    char *path = within(directory, record);
    Values lines = {0};
    bool recorded = false;
    int lock = lock_directory(directory);
    manifest_read(directory, &lines);
    for (int i = 0; i < lines.count; i++)
        recorded |= !strcmp(lines.text[i], line);
    if (!recorded) /* a record that has it may be read-only */
        append_line(path, line);
    close(lock);
}

void
experiment_open(const char *directory, const char *line)
{
    if (mkdir(directory, 0777) && errno != EEXIST)
        fail("%s: could not create it: %s; choose another directory", directory,
             strerror(errno));
    drafts_sweep(directory);
    /* The files are listed before the record is looked for. Another command
       that is just creating this experiment writes its record first. So if
       there are files but no record, this is not an experiment. */
    Values files = names_in(directory);
    if (files.count && access(within(directory, record), F_OK))
        fail("%s: it holds files but no experiment.tsv, so it is not an "
             "experiment; choose another directory",
             directory);
    manifest_record(directory, line);
}

/* For qsort: orders runs by their names. */
static int
by_name(const void *a, const void *b)
{
    return strcmp(((const Run *)a)->name, ((const Run *)b)->name);
}

/* Reads the run at this path, and adds it to the experiment. */
static void
add_run(Experiment *e, const char *path)
{
    e->runs = grow(e->runs, e->count, &e->capacity, sizeof *e->runs);
    e->runs[e->count++] = run_read(path);
}

/* Adds the finished runs of a directory. Hidden directories are left out: they
   are drafts (base/files.h). */
static void
add_all(Experiment *e, const char *directory)
{
    Values names = names_in(directory);
    for (int i = 0; i < names.count; i++)
        if (*names.text[i] != '.' && run_exists(directory, names.text[i]))
            add_run(e, within(directory, names.text[i]));
}

/* Sorts the runs by name and removes duplicates. Two runs of one name have the
   same settings, because the name ends in a digest of them. */
static void
drop_duplicates(Experiment *e)
{
    int kept = 0;
    if (e->count)
        qsort(e->runs, (size_t)e->count, sizeof *e->runs, by_name);
    for (int i = 0; i < e->count; i++)
        if (kept == 0 || strcmp(e->runs[kept - 1].name, e->runs[i].name) != 0)
            e->runs[kept++] = e->runs[i];
    e->count = kept;
}

Experiment
experiment_read(const char *const *paths, int count)
{
    Experiment e = {0};
    for (int i = 0; i < count; i++) {
        bool is_run = run_exists(paths[i], "."); /* "PATH/." is the path */
        int before = e.count;
        if (is_run)
            add_run(&e, paths[i]);
        else
            add_all(&e, paths[i]);
        if (e.count == before)
            fail("%s: it has no finished run; `qkv compare --out %s` trains "
                 "some",
                 paths[i], paths[i]);
        manifest_read(is_run ? within(paths[i], "..") : paths[i], &e.record);
    }
    drop_duplicates(&e);
    return e;
}

bool
setting_was_given(const Experiment *e, const char *setting)
{
    if (!e->record.count)
        return true;
    for (int i = 0; i < e->record.count; i++)
        if (manifest_value(e->record.text[i], setting))
            return true;
    return false;
}

const char *
recorded_value(const Experiment *e, const char *key)
{
    const char *found = NULL;
    bool first = true;
    for (int i = 0; i < e->record.count; i++) {
        const char *line = e->record.text[i];
        const char *value = manifest_value(line, key);
        bool is_compare = !strncmp(line, "compare\t", strlen("compare\t"));
        if (!is_compare)
            continue;
        if (!first && value != found) /* equal values have one address */
            return NULL;
        found = value;
        first = false;
    }
    return found;
}
