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
    struct stat facts; /* an empty one is what a power failure left of it */
    return !stat(below(below(directory, name).text, "result.tsv").text,
                 &facts) &&
           facts.st_size;
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
    Path marker = below(directory, "experiment.tsv");
    struct stat facts;
    if (mkdir(directory, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s; give another directory", directory,
             strerror(errno));
    bool empty = is_empty(directory);        /* somebody may open it with us: */
    if (stat(marker.text, &facts) && !empty) /* ask for the marker after */
        fail("%s: holds files but no experiment.tsv, so it is no experiment of "
             "qkv's; give another directory",
             directory);
    manifest_record(directory, a);
    drafts_sweep(directory);
}

/* A run's name ends in the digest of its settings, and its seed is counted
   once: exits where a name is that of others. */
static Run
run_named(const char *directory, const char *name)
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

void
check_name(const char *name, const Config *has, const Config *wanted)
{
    const Setting *s = config_difference(has, wanted);
    if (s)
        fail("%s: by chance the name of two runs, which differ in %s: change "
             "its value a little, or give another directory",
             name, s->name);
}

Run
run_of(const char *directory, const char *name, const Config *c)
{
    Run r = run_named(directory, name);
    check_name(r.path, &r.config, c);
    return r;
}

/* Is it a run? What looks like one, and has no result, is named. */
static bool
has_result(const char *directory, const char *name)
{
    if (run_exists(directory, name))
        return true;
    if (errno == EACCES ||
        !access(within(within(directory, name).text, "config.tsv").text, F_OK))
        note(
            "%s/%s: is left out: it has no result.tsv that can be read; remove "
            "it, or run the command that made it again",
            directory, name);
    return false;
}

Run *
experiment_runs(const char *directory, int *count)
{
    Run *runs;
    if (!access(within(directory, "result.tsv").text, F_OK)) {
        *count = 1;
        runs = allocate(1, sizeof *runs);
        runs[0] = run_read(directory);
        return runs;
    }
    DIR *dir = opendir(directory);
    if (!dir)
        fail("%s: %s; give the directory of an experiment or a run", directory,
             strerror(errno));
    Values names = {0};
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.' && has_result(directory, e->d_name))
            values_add(&names, copy_text(e->d_name));
    closedir(dir);
    *count = names.count;
    if (*count)
        qsort(names.text, (size_t)*count, sizeof *names.text, in_natural_order);
    runs = allocate((size_t)*count, sizeof *runs);
    for (int i = 0; i < *count; i++)
        runs[i] = run_named(directory, names.text[i]);
    values_free(&names);
    return runs;
}

void
free_runs(Run *runs, int count)
{
    for (int i = 0; i < count; i++)
        run_free(&runs[i]);
    free(runs);
}

/* Adds what the record in a directory has and `e` has not; false where there is
   no record. */
static bool
add_record(Experiment *e, int *room, const char *directory)
{
    int count;
    Manifest *list = manifest_read(directory, &count);
    for (int i = 0; i < count; i++) {
        bool known = false;
        for (int k = 0; k < e->manifest_count && !known; k++)
            known = manifest_equal(&e->asked[k], &list[i]);
        e->asked = grow(e->asked, e->manifest_count, room, sizeof *e->asked);
        if (known)
            manifest_free(&list[i]);
        else
            e->asked[e->manifest_count++] = list[i];
    }
    free(list);
    return count > 0;
}

static bool
same_table(const Table *a, const Table *b)
{
    bool same = a->rows == b->rows && a->cols == b->cols;
    for (int i = 0; same && i < (a->rows + 1) * a->cols; i++)
        same = !strcmp(a->cells[i], b->cells[i]);
    return same;
}

static int
by_digest(const void *a, const void *b)
{
    const Run *x = a, *y = b;
    int order = strcmp(x->digest, y->digest);
    return order ? order : natural_order(x->name, y->name);
}

static int
in_order(const void *a, const void *b)
{
    const Run *x = a, *y = b;
    int order = natural_order(x->name, y->name);
    return order ? order : strcmp(x->digest, y->digest);
}

/* Leaves each run once, also where a copy has another name: runs of the same
   settings have the same digest, and few others. */
static void
drop_doubles(Experiment *e)
{
    int kept = 0;
    qsort(e->runs, (size_t)e->count, sizeof *e->runs, by_digest);
    for (int i = 0; i < e->count; i++) {
        Run *r = &e->runs[i], *same = NULL;
        for (int k = kept; k-- && !strcmp(e->runs[k].digest, r->digest);)
            if (!config_difference(&e->runs[k].config, &r->config))
                same = &e->runs[k];
        if (!same) {
            e->runs[kept++] = *r;
            continue;
        }
        if (!same_table(&same->log, &r->log) ||
            !same_table(&same->result, &r->result))
            fail("%s and %s: the same settings and another result; remove the "
                 "wrong one of the two",
                 same->path, r->path);
        run_free(r);
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
        int found;
        Run *runs = experiment_runs(paths[i], &found);
        bool alone = !access(within(paths[i], "result.tsv").text, F_OK);
        Path around = within(paths[i], "..");
        e.unrecorded |=
            !add_record(&e, &manifest_room, alone ? around.text : paths[i]);
        for (int k = 0; k < found; k++) {
            bool left_out = run_converted(&runs[k]);
            e.converted += left_out;
            if (left_out) {
                run_free(&runs[k]);
                continue;
            }
            e.runs = grow(e.runs, e.count, &run_room, sizeof *e.runs);
            e.runs[e.count++] = runs[k];
        }
        free(runs);
    }
    if (!e.count && e.converted)
        fail("%s: only runs that `qkv equiv` converted, and they have no curve",
             paths[0]);
    if (!e.count)
        fail("%s: no finished run there; `qkv compare --out %s` makes some",
             paths[0], paths[0]);
    drop_doubles(&e);
    return e;
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
    for (int i = 0; i < e->manifest_count; i++) {
        const char *value = manifest_value(&e->asked[i], key);
        said = value ? value : said;
    }
    return said;
}
