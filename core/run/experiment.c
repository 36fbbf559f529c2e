/* experiment.c - a directory of runs. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/words.h"
#include "run/run.h"

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
    bool done = draft_publish(d, name, false) ||
                ((replace || !run_exists(d->place, name)) &&
                 draft_publish(d, name, true));
    draft_end(d);
    return done;
}

void
experiment_open(const char *directory)
{
    Path marker = below(directory, "experiment.tsv");
    struct stat facts;
    if (mkdir(directory, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s; give another directory", directory,
             strerror(errno));
    if (!stat(directory, &facts) && !S_ISDIR(facts.st_mode))
        fail("%s: is a file; give a directory", directory);
    if (access(directory, W_OK | X_OK))
        fail("%s: cannot be written: %s; give another directory", directory,
             strerror(errno));
    bool empty = is_empty(directory); /* somebody may open it with us: */
    if (stat(marker.text, &facts)) {  /* ask for the marker after that */
        if (!empty)
            fail("%s: holds files but no experiment.tsv, so it is no "
                 "experiment of qkv's; give another directory",
                 directory);
        facts.st_size = 0;
    }
    if (!facts.st_size) { /* none, or its writer was killed before writing */
        FILE *file = begin_file(directory, "experiment.tsv");
        fprintf(file, "key\tvalue\nformat\t%d\n", RUN_FORMAT);
        end_file(file, directory, "experiment.tsv");
    }
    drafts_sweep(directory);
}

static int
by_name(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int order = natural_order(x, y);
    return order ? order : strcmp(x, y);
}

/* A run's name ends in the digest of its settings, and its seed is counted
   once: exits where a name is that of others. */
static void
check_name(const Run *r, const char *name)
{
    char digest[9];
    const char *end = strrchr(name, '.');
    config_digest(&r->config, digest);
    if (!end || strcmp(end + 1, digest))
        fail("%s: its name does not end in the digest of its settings, .%s: a "
             "copy under another name, or config.tsv was changed; remove it, "
             "or move it out of the experiment",
             r->path, digest);
}

Run
run_named(const char *directory, const char *name)
{
    Run r = run_read(within(directory, name).text);
    check_name(&r, name);
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
    char **names = NULL;
    int room = *count = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.' || !has_result(directory, e->d_name))
            continue;
        names = grow(names, *count, &room, sizeof *names);
        names[(*count)++] = copy_text(e->d_name);
    }
    closedir(dir);
    if (*count)
        qsort(names, (size_t)*count, sizeof *names, by_name);
    runs = allocate((size_t)*count, sizeof *runs);
    for (int i = 0; i < *count; i++) {
        runs[i] = run_named(directory, names[i]);
        free(names[i]);
    }
    free(names);
    return runs;
}
