/* files.c - paths, and files that appear as a whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
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

/* Fails because the file at `path` could not be written; errno says why. */
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
    bool write_failed = ferror(file);
    if (fclose(file) || write_failed)
        not_written(within(directory, name));
}

/* If open fails, the descriptor is -1, and flock has no effect. */
int
lock_directory(const char *path)
{
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    flock(lock, LOCK_EX);
    return lock;
}

/* A draft is called .NAME@qkv-XXXXXX, with six letters from mkdtemp. */
#define DRAFT_MARK "@qkv-"

Values
names_in(const char *directory)
{
    Values names = {0};
    DIR *dir = opendir(directory);
    /* The list must not be empty only because memory ran out. */
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

/* nftw calls this for each file in a directory, then for the directory itself.
 */
static int
remove_one(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
    (void)facts, (void)kind, (void)at;
    return remove(path);
}

/* Fails only for lack of memory. Any other error of nftw is ignored: usually
   `path` does not exist, or this user may not remove it. */
void
discard(const char *path)
{
    enum { MOST_OPEN = 16 }; /* the directories that nftw may open at once */
    bool failed = nftw(path, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS) != 0;
    if (failed && errno == ENOMEM)
        fail("%s: could not remove it: %s", path, strerror(errno));
}

Draft *
draft_begin(const char *directory, const char *name)
{
    Draft *d = allocate(1, sizeof *d);
    /* Most file systems allow 255 bytes in a name. People recognise `name` by
       its first 100. */
    char *hidden = format_text(".%.100s" DRAFT_MARK "XXXXXX", name);
    drafts_sweep(directory);
    /* If this process is killed, its parent sweeps this directory. */
    snprintf(report->drafts, sizeof report->drafts, "%s", directory);
    d->place = copy_text(directory);
    /* Another process may sweep the new draft before it is locked. If so, a new
       one is made. mkdtemp writes six letters over the XXXXXX of d->path. */
    do {
        d->path = within(directory, hidden);
        if (!mkdtemp(d->path))
            fail("%s: could not write there: %s; choose another directory",
                 directory, strerror(errno));
        d->lock = lock_directory(d->path);
    } while (access(d->path, F_OK) != 0); /* the draft was swept */
    return d;
}

/* Renames a file or a directory. Returns false if `to` exists and rename cannot
   replace it: `to` is a directory that is not empty, or only one of the two is
   a directory. Fails if rename fails for any other reason. */
static bool
try_rename(const char *from, const char *to)
{
    if (!rename(from, to))
        return true;
    bool not_empty = errno == EEXIST || errno == ENOTEMPTY; /* POSIX: either */
    bool other_kind = errno == ENOTDIR || errno == EISDIR;
    if (!not_empty && !other_kind)
        not_written(to);
    return false;
}

/* Moves the draft's file or directory NAME to its final place. If rename cannot
   replace an old file or directory there, the old one is moved into the draft,
   as NAME@, and is removed with it. With KEEP_OLD, the old one stays in place
   instead, and the result is false. */
static bool
publish(const Draft *d, const char *name, IfExists rule)
{
    char *from = within(d->path, name), *to = within(d->place, name);
    char *old = within(d->path, format_text("%s@", name));
#ifdef RENAME_EXCHANGE
    /* If NAME is already there, swaps the old and the new one in a single step,
       so that a reader always finds one of them. Without this call, an old
       directory is gone for a moment before the new one is there. If NAME is
       not there, or the file system cannot swap, the call fails. */
    if (rule == REPLACE_OLD &&
        !renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE))
        return true;
#endif
    /* Moves the old one away, and tries again: more than once only if another
       program creates `to` meanwhile. */
    while (!try_rename(from, to)) {
        if (rule == KEEP_OLD)
            return false;
        discard(old);                           /* left by an earlier round */
        if (rename(to, old) && errno != ENOENT) /* ENOENT: `to` is gone */
            not_written(to);
    }
    return true;
}

bool
draft_end(Draft *d, IfExists rule)
{
    Values names = names_in(d->path);
    bool published = true;
    /* No other draft may move files to this place at the same time. */
    int place_lock = lock_directory(d->place);
    for (int i = 0; i < names.count; i++) {
        bool hidden = names.text[i][0] == '.'; /* it is not published */
        if (!hidden && !publish(d, names.text[i], rule))
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
        if (fnmatch(".*" DRAFT_MARK "??????", names.text[i], 0))
            continue; /* it is not the name of a draft */
        char *path = within(directory, names.text[i]);
        int lock = open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
        if (lock < 0) /* it is another user's draft, or not a directory */
            continue;
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) /* nobody holds its lock */
            discard(path);
        close(lock);
    }
}
