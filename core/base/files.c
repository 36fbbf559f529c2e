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

/* A directory that cannot be opened is gone, or nobody may write there. */
int
lock_directory(const char *path)
{
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    flock(lock, LOCK_EX);
    return lock;
}

#define DRAFT "@qkv-" /* before the six letters that mkdtemp draws */

/* Is the name that of a draft, .NAME@qkv-XXXXXX? */
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
    /* Without memory it is not known whether there are any names. */
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

/* nftw calls it for each file in a directory, and then for the directory. */
static int
remove_one(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
    (void)facts, (void)kind, (void)at;
    return remove(path);
}

/* nftw opens at most 16 directories at once. It fails too if there is nothing
   to remove, or if this user may not remove it; then nothing is reported. */
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
    /* If this process is killed, its parent sweeps there. */
    snprintf(report->drafts, sizeof report->drafts, "%s", directory);
    d->place = copy_text(directory);
    do {
        d->path = within(directory, hidden);
        if (!mkdtemp(d->path))
            fail("%s: could not write there: %s; choose another directory",
                 directory, strerror(errno));
        d->lock = lock_directory(d->path);
        /* Another process may have swept it away before it was locked: if it is
           gone, another one is made. */
    } while (access(d->path, F_OK));
    return d;
}

/* Renames a file or a directory. Returns false if `to` exists and rename cannot
   replace it: a directory that is not empty, or a file if `from` is a directory
   (or the other way round). */
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

/* Moves one of the draft's files or directories to its place. If something is
   there that rename cannot replace, it is moved into the draft as NAME@; but if
   `replace` is false, it stays, and the result is false. */
static bool
publish(const Draft *d, const char *name, bool replace)
{
    char *from = within(d->path, name), *to = within(d->place, name);
    char *old = within(d->path, format_text("%s@", name));
#ifdef RENAME_EXCHANGE
    /* The old and the new one change places in one step, so that a reader
       always finds one of them. Without this call there is a moment with none.
     */
    if (replace && !renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE))
        return true;
#endif
    while (!moved(from, to)) {
        if (!replace)
            return false;
        discard(old);                           /* from an earlier round */
        if (rename(to, old) && errno != ENOENT) /* ENOENT: it is gone already */
            not_written(to);
    }
    return true;
}

bool
draft_end(Draft *d, bool replace)
{
    Values names = names_in(d->path);
    bool published = true;
    int place_lock = lock_directory(d->place); /* one draft moves at a time */
    for (int i = 0; i < names.count; i++) {
        bool hidden = names.text[i][0] == '.';
        if (!hidden && !publish(d, names.text[i], replace))
            published = false;
    }
    close(place_lock);
    discard(d->path);
    close(d->lock);
    return published;
}

void
drafts_sweep(const char *directory)
{
    Values names = names_in(directory);
    for (int i = 0; i < names.count; i++) {
        if (!is_draft(names.text[i]))
            continue;
        char *path = within(directory, names.text[i]);
        int lock = open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
        if (lock < 0) /* another user's draft, or not a directory */
            continue;
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) /* its writer is gone */
            discard(path);
        close(lock);
    }
}
