/* experiment.c - a directory of runs, and what was asked of it. */
#include <dirent.h>
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

bool
run_publish(Draft *d, const char *name, bool replace)
{
    return draft_publish(d, name, false) ||
           ((replace || !run_exists(d->place, name)) &&
            draft_publish(d, name, true));
}

void
experiment_open(const char *directory, const Manifest *a)
{
    if (mkdir(directory, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s; give another directory", directory,
             strerror(errno));
    bool empty = is_empty(directory); /* somebody may open it with us */
    if (!empty && access(within(directory, "experiment.tsv").text, F_OK))
        fail("%s: holds files but no experiment.tsv, so it is no experiment of "
             "qkv's; give another directory",
             directory);
    manifest_record(directory, a);
    drafts_sweep(directory);
}

Run
run_of(const char *directory, const char *name)
{
    Run r = run_read(within(directory, name).text);
    const char *end = strrchr(name, '.');
    if (!end || strcmp(end + 1, r.digest))
        fail("%s: its name does not end in the digest of its settings, .%s: a "
             "copy under another name, or config.tsv was changed; remove it, "
             "or move it out of the experiment",
             r.path, r.digest);
    return r;
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

/* Adds the runs of a directory, or the one that it is, whose record is around
   it; what looks like a run, and has no result, is named. */
static void
add_runs(Experiment *e, int *room, const char *directory)
{
    DIR *dir = opendir(directory);
    if (!dir)
        fail("%s: %s; give the directory of an experiment or a run", directory,
             strerror(errno));
    for (struct dirent *f; (f = readdir(dir));) {
        if (f->d_name[0] == '.')
            continue;
        Path run = within(directory, f->d_name);
        if (run_exists(directory, f->d_name)) {
            e->runs = grow(e->runs, e->count, room, sizeof *e->runs);
            e->runs[e->count++] = run_of(directory, f->d_name);
        } else if (!access(within(run.text, "config.tsv").text, F_OK))
            note("%s: is left out: it has no result.tsv; remove it, or run the "
                 "command that made it again",
                 run.text);
    }
    closedir(dir);
}

/* Adds what the record in a directory has; false where there is none. */
static bool
add_record(Experiment *e, int *room, const char *directory)
{
    int count;
    Manifest *list = manifest_read(directory, &count);
    for (int i = 0; i < count; i++) {
        e->asked = grow(e->asked, e->manifest_count, room, sizeof *e->asked);
        e->asked[e->manifest_count++] = list[i];
    }
    free(list);
    return count > 0;
}

/* Drops what equiv converted, and leaves each other run once, also where a copy
   has another name. */
static void
drop_doubles(Experiment *e)
{
    int kept = 0;
    qsort(e->runs, (size_t)e->count, sizeof *e->runs, by_digest);
    for (int i = 0; i < e->count; i++) {
        Run *r = &e->runs[i], *last = kept ? &e->runs[kept - 1] : NULL;
        Run *same = last && !by_digest(last, r) ? last : NULL;
        bool converted = run_converted(r);
        if (same &&
            strcmp(run_text(same, "test_loss"), run_text(r, "test_loss")))
            fail("%s and %s: the same settings and another result; remove the "
                 "wrong one of the two",
                 same->path, r->path);
        e->converted += converted;
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
    int run_room = 0, manifest_room = 0;
    for (int i = 0; i < count; i++) {
        Path around = within(paths[i], "..");
        bool alone = !access(within(paths[i], "result.tsv").text, F_OK);
        if (alone) {
            e.runs = grow(e.runs, e.count, &run_room, sizeof *e.runs);
            e.runs[e.count++] = run_read(paths[i]);
        } else
            add_runs(&e, &run_room, paths[i]);
        e.unrecorded |=
            !add_record(&e, &manifest_room, alone ? around.text : paths[i]);
    }
    drop_doubles(&e);
    if (!e.count && e.converted)
        fail("%s: only runs that `qkv equiv` converted, and they have no curve",
             paths[0]);
    if (!e.count)
        fail("%s: no finished run there; `qkv compare --out %s` makes some",
             paths[0], paths[0]);
    return e;
}

void
free_runs(Run *runs, int count)
{
    for (int i = 0; i < count; i++)
        run_free(&runs[i]);
    free(runs);
}

void
experiment_free(Experiment *e)
{
    free_runs(e->runs, e->count);
    for (int i = 0; i < e->manifest_count; i++)
        manifest_free(&e->asked[i]);
    free(e->asked);
}

bool
experiment_asks(const Experiment *e, const char *setting)
{
    bool asked = e->unrecorded;
    for (int i = 0; i < e->manifest_count && !asked; i++) {
        const char *value = manifest_value(&e->asked[i], setting);
        asked = value && strcmp(value, "auto"); /* which was found, not asked */
    }
    return asked;
}

const char *
experiment_said(const Experiment *e, const char *key)
{
    const char *said = NULL;
    for (int i = e->manifest_count - 1; i >= 0 && !said; i--)
        said = manifest_value(&e->asked[i], key);
    return said;
}
