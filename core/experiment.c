/* experiment.c - a directory of runs, and who is writing into it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "run.h"
#include "words.h"

bool
run_exists(const char *directory, const char *name)
{
    struct stat facts; /* an empty one is what a power failure left of it */
    return !stat(within(within(directory, name).text, "result.tsv").text,
                 &facts) &&
           facts.st_size;
}

Path
run_partial(const char *directory, const char *name, long process)
{
    char host[64] = "host", hidden[512];
    gethostname(host, sizeof host - 1);
    snprintf(hidden, sizeof hidden, ".%.300s@%.60s@%ld", name, host, process);
    return within(directory, hidden);
}

void
run_abandon(const char *directory, const char *name, long process)
{
    discard(run_partial(directory, name, process).text);
}

/* Renamed first, so that no half of it is ever seen under its name. */
void
run_remove(const char *directory, const char *name)
{
    char *old = format_text("%s.old", name);
    Path aside = run_partial(directory, old, (long)getpid());
    if (!rename(within(directory, name).text, aside.text))
        discard(aside.text);
    free(old);
}

/* ".NAME@HOST@PROCESS", and nobody else's file. */
static bool
is_partial(const char *name)
{
    const char *process = strrchr(name, '@');
    return *name == '.' && process && strchr(name, '@') < process &&
           process[1] && !process[1 + strspn(process + 1, "0123456789")];
}

/* A writer holds a lock on its directory, which ends with it however it ends:
   what can be locked belongs to nobody any more. */
void
experiment_sweep(const char *directory)
{
    DIR *dir = opendir(directory);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!is_partial(e->d_name))
            continue;
        Path partial = within(directory, e->d_name);
        int lock = open(partial.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        if (lock < 0 ? errno == ELOOP : !flock(lock, LOCK_EX | LOCK_NB))
            discard(partial.text);
        if (lock >= 0)
            close(lock);
    }
    if (dir)
        closedir(dir);
}

int
run_begin(const char *partial)
{
    struct stat locked, there;
    for (;;) {
        if (mkdir(partial, 0777) && errno != EEXIST)
            fail("%s: cannot be made: %s", partial, strerror(errno));
        int lock = open(partial, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (lock < 0 && errno != ENOENT)
            fail("%s: cannot be opened: %s", partial, strerror(errno));
        if (lock < 0)
            continue; /* swept away before it was opened: again */
        flock(lock, LOCK_EX);
        if (!fstat(lock, &locked) && !stat(partial, &there) &&
            locked.st_ino == there.st_ino)
            return lock;
        close(lock); /* swept away before it was locked: again */
    }
}

static void
write_marker(const char *directory)
{
    Path marker = within(directory, "experiment.tsv");
    FILE *file = fopen(marker.text, "w");
    if (!file || fprintf(file, "key\tvalue\nformat\t%d\n", RUN_FORMAT) < 0 ||
        fclose(file))
        fail("%s: cannot be written: %s; give another --out", marker.text,
             strerror(errno));
}

void
experiment_open(const char *directory)
{
    Path marker = within(directory, "experiment.tsv");
    struct stat facts;
    if (mkdir(directory, 0777) && errno != EEXIST)
        fail("%s: cannot be made: %s; give another --out", directory,
             strerror(errno));
    if (!stat(directory, &facts) && !S_ISDIR(facts.st_mode))
        fail("%s: is a file, not a directory; give another --out", directory);
    if (access(directory, W_OK | X_OK))
        fail("%s: cannot be written: %s; give another --out", directory,
             strerror(errno));
    bool empty = is_empty(directory); /* somebody may open it with us: */
    if (stat(marker.text, &facts)) {  /* ask for the marker after that */
        if (!empty)
            fail("%s: holds files but no experiment.tsv, so it is no "
                 "experiment of qkv's; give another --out",
                 directory);
        facts.st_size = 0;
    }
    if (!facts.st_size) /* none, or its writer was killed before writing */
        write_marker(directory);
    experiment_sweep(directory);
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
    char *config = format_text("%s/config.tsv", name);
    if (errno == EACCES || !access(within(directory, config).text, F_OK))
        note(
            "%s/%s: is left out: it has no result.tsv that can be read; remove "
            "it, or run the command that made it again",
            directory, name);
    free(config);
    return false;
}

Run *
experiment_runs(const char *directory, int *count)
{
    *count = 1;
    Run *runs = allocate(1, sizeof *runs);
    if (!access(within(directory, "result.tsv").text, F_OK)) {
        runs[0] = run_read(directory);
        return runs;
    }
    DIR *dir = opendir(directory);
    if (!dir)
        fail("%s: %s; give an experiment's directory (compare's --out) or a "
             "run's",
             directory, strerror(errno));
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
    free(runs);
    runs = allocate((size_t)*count, sizeof *runs);
    for (int i = 0; i < *count; i++) {
        runs[i] = run_named(directory, names[i]);
        free(names[i]);
    }
    free(names);
    return runs;
}
