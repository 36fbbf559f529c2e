/* experiment.c - a directory of runs, and what was asked of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "heart/fail.h"
#include "run/experiment.h"

bool
run_exists(const char *directory, const char *name)
{
    return !access(within(within(directory, name).text, "result.tsv").text,
                   F_OK);
}

void
experiment_open(const char *directory, const char *asked)
{
    if (mkdir(directory, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s; give another directory", directory,
             strerror(errno));
    bool empty = is_empty(directory); /* somebody may open it with us */
    if (!empty && access(within(directory, "experiment.tsv").text, F_OK))
        fail("%s: holds files but no experiment.tsv, so it is no experiment of "
             "qkv's; give another directory",
             directory);
    manifest_record(directory, asked);
    drafts_sweep(directory);
}

static int
in_order(const void *a, const void *b)
{
    return natural_order(((const Run *)a)->name, ((const Run *)b)->name);
}

static int
by_digest(const void *a, const void *b)
{
    return strcmp(((const Run *)a)->digest, ((const Run *)b)->digest);
}

static void
add_run(Experiment *e, const char *path)
{
    e->runs = grow(e->runs, e->count, &e->room, sizeof *e->runs);
    e->runs[e->count++] = run_read(path);
}

/* Adds the runs of a directory. */
static void
add_all(Experiment *e, const char *directory)
{
    Values names = names_in(directory);
    if (access(directory, R_OK | X_OK))
        fail("%s: %s; give the directory of an experiment or a run", directory,
             strerror(errno));
    for (int i = 0; i < names.count; i++)
        if (*names.text[i] != '.' && run_exists(directory, names.text[i]))
            add_run(e, within(directory, names.text[i]).text);
    values_free(&names);
}

/* Adds the lines of a directory's experiment.tsv. */
static void
add_record(Experiment *e, const char *directory)
{
    Values lines = manifest_read(directory);
    for (int i = 0; i < lines.count; i++)
        values_add(&e->asked, lines.text[i]);
    e->unrecorded |= !lines.count;
    free(lines.text);
}

/* Drops what equiv converted, and leaves each other run once, also where a copy
   has another name. */
static void
drop_doubles(Experiment *e)
{
    int kept = 0;
    if (!e->count)
        return;
    qsort(e->runs, (size_t)e->count, sizeof *e->runs, by_digest);
    for (int i = 0; i < e->count; i++) {
        Run *r = &e->runs[i], *last = kept ? &e->runs[kept - 1] : NULL;
        bool converted = !strcmp(run_text(r, "status"), "converted");
        bool same = last && !by_digest(last, r);
        if (same &&
            strcmp(run_text(last, "test_loss"), run_text(r, "test_loss")))
            fail("%s and %s: the same settings and another result; remove the "
                 "wrong one of the two",
                 last->path, r->path);
        if (same || converted)
            run_free(r);
        else
            e->runs[kept++] = *r;
    }
    e->count = kept;
    qsort(e->runs, (size_t)e->count, sizeof *e->runs, in_order);
}

Experiment
experiment_read(const char *const *paths, int count)
{
    Experiment e = {0};
    for (int i = 0; i < count; i++)
        if (run_exists(paths[i], ".")) {
            add_run(&e, paths[i]);
            add_record(&e, within(paths[i], "..").text);
        } else {
            add_all(&e, paths[i]);
            add_record(&e, paths[i]);
        }
    drop_doubles(&e);
    if (!e.count)
        fail("%s: no finished run that was trained there; `qkv compare --out "
             "%s` makes some",
             paths[0], paths[0]);
    return e;
}

void
experiment_free(Experiment *e)
{
    for (int i = 0; i < e->count; i++)
        run_free(&e->runs[i]);
    free(e->runs);
    values_free(&e->asked);
}

bool
experiment_asks(const Experiment *e, const char *setting)
{
    bool asked = e->unrecorded;
    for (int i = 0; i < e->asked.count && !asked; i++) {
        const char *value = manifest_value(e->asked.text[i], setting);
        asked = value && strcmp(value, "auto"); /* which was found, not asked */
    }
    return asked;
}

const char *
experiment_said(const Experiment *e, const char *key)
{
    const char *said = NULL;
    for (int i = e->asked.count - 1; i >= 0 && !said; i--)
        said = manifest_value(e->asked.text[i], key);
    return said;
}
