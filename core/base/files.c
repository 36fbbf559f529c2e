/* files.c - paths, and files that appear as a whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/report.h"
#include "heart/fail.h"

char *
within(const char *directory, const char *name)
{
    return format_text("%s/%s", directory, name);
}

char *
new_directory(const char *directory, const char *name)
{
    char *p = within(directory, name);
    if (mkdir(p, 0777))
        fail("%s: could not create it: %s", p, strerror(errno));
    return p;
}

static _Noreturn void
not_written(const char *path)
{
    fail("%s: could not write it: %s; no partial file was left", path,
         strerror(errno));
}

FILE *
begin_file(const char *directory, const char *name)
{
    char *path = within(directory, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        not_written(path);
    return file;
}

void
end_file(FILE *file, const char *directory, const char *name)
{
    bool lost = ferror(file);
    if (fclose(file) || lost)
        not_written(within(directory, name));
}

int
lock_directory(const char *path)
{
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    flock(lock, LOCK_EX);
    return lock;
}

#define DRAFT "@qkv-" /* before the six letters that mkdtemp draws */

/* Is it .NAME@qkv-XXXXXX? */
static bool
is_draft(const char *name)
{
    const char *mark = strrchr(name, '@');
    return *name == '.' && mark && !strncmp(mark, DRAFT, strlen(DRAFT)) &&
           strlen(mark) == strlen(DRAFT "XXXXXX");
}

Values
names_in(const char *directory)
{
    Values names = {0};
    DIR *dir = opendir(directory);
    if (!dir && errno == ENOMEM)
        fail("%s: could not list it: %s", directory, strerror(errno));
    if (!dir)
        return names;
    for (struct dirent *e = readdir(dir); e; e = readdir(dir))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            values_add(&names, copy_text(e->d_name));
    closedir(dir);
    return names;
}

/* Called by nftw for each file of a tree, and for a directory after its files.
 */
static int
remove_one(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
    (void)facts, (void)kind, (void)at;
    return remove(path);
}

void
discard(const char *path)
{
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) && errno == ENOMEM)
        fail("%s: could not remove it: %s", path, strerror(errno));
}

Draft *
draft_begin(const char *directory, const char *name)
{
    Draft *d = allocate(1, sizeof *d);
    char *hidden = format_text(".%.100s" DRAFT "XXXXXX", name);
    drafts_sweep(directory);
    snprintf(report->drafts, sizeof report->drafts, "%s", directory);
    d->place = copy_text(directory);
    do {
        d->path = within(directory, hidden);
        if (!mkdtemp(d->path))
            fail("%s: could not write there: %s; choose another directory",
                 directory, strerror(errno));
        d->lock = lock_directory(d->path);
        /* Another process may have swept it away before it was locked. */
    } while (access(d->path, F_OK));
    return d;
}

/* Renames a file or a directory. Returns false if `to` is in the way: a
   directory that is not empty, or a file where a directory is to go. */
static bool
moved(const char *from, const char *to)
{
    if (!rename(from, to))
        return true;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR &&
        errno != EISDIR)
        not_written(to);
    return false;
}

/* Moves one of the draft's files or directories to its place. Returns false if
   a directory of that name is in the place, which only `replace` may remove. */
static bool
publish(const Draft *d, const char *name, bool replace)
{
    char *from = within(d->path, name), *to = within(d->place, name);
    char *old = within(d->path, format_text("%s@", name));
#ifdef RENAME_EXCHANGE
    /* The old and the new one change places in one step, so that a reader
       always finds one of them. A system without this call moves the old one
       away first. */
    if (replace && !renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE))
        return true;
#endif
    while (!moved(from, to)) {
        if (!replace)
            return false;
        discard(old);
        /* moves what is in the way into the draft, then tries again */
        if (rename(to, old) && errno != ENOENT)
            not_written(to);
    }
    return true;
}

bool
draft_end(Draft *d, bool replace)
{
    Values names = names_in(d->path);
    bool published = true;
    int turn = lock_directory(d->place); /* one draft is moved at a time */
    for (int i = 0; i < names.count; i++)
        if (*names.text[i] != '.')
            published = publish(d, names.text[i], replace) && published;
    close(turn);
    discard(d->path);
    close(d->lock);
    return published;
}

void
drafts_sweep(const char *directory)
{
    Values names = names_in(directory);
    for (int i = 0; i < names.count; i++) {
        char *path = within(directory, names.text[i]);
        if (!is_draft(names.text[i]))
            continue;
        int lock = open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
        if (lock < 0)
            continue;
        if (!flock(lock, LOCK_EX | LOCK_NB)) /* its writer is gone */
            discard(path);
        close(lock);
    }
}
