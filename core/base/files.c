/* files.c - paths, and directories that come and go as a whole. */
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
        fail("%s: cannot be made: %s", p, strerror(errno));
    return p;
}

static _Noreturn void
not_written(const char *path)
{
    fail("%s: cannot be written: %s; nothing of it was kept", path,
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
    bool failed = ferror(file);
    if (fclose(file) || failed)
        not_written(within(directory, name));
}

int
lock_directory(const char *path)
{
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    flock(lock, LOCK_EX);
    return lock;
}

#define DRAFT "@qkv-" /* and six letters that mkdtemp draws */

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
        fail("%s: cannot be read: %s", directory, strerror(errno));
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            values_add(&names, copy_text(e->d_name));
    if (dir)
        closedir(dir);
    return names;
}

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
        fail("%s: cannot be removed: %s", path, strerror(errno));
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
            fail("%s: nothing can be written there: %s", directory,
                 strerror(errno));
        d->lock = lock_directory(d->path);
    } while (access(d->path, F_OK)); /* swept away before it was locked */
    return d;
}

/* Moves what the draft has under that name to its place; false if a directory
   is there already and is not to be replaced. */
static bool
publish(const Draft *d, const char *name, bool replace)
{
    char *aside = format_text("%s@", name); /* where what was there goes */
    char *from = within(d->path, name), *to = within(d->place, name);
    char *old = within(d->path, aside);
#ifdef RENAME_EXCHANGE
    /* They change places, so that somebody who reads it now finds the old or
       the new one. Without such a call the old one is moved aside first. */
    if (replace && !renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE))
        return true;
#endif
    while (rename(from, to)) {
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR &&
            errno != EISDIR)
            not_written(to);
        if (!replace)
            return false;
        discard(old);
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
    int turn = lock_directory(d->place); /* one draft at a time */
    for (int i = 0; i < names.count; i++)
        if (*names.text[i] != '.')
            published &= publish(d, names.text[i], replace);
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
        int lock = is_draft(names.text[i])
                       ? open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
                       : -1;
        if (lock < 0)
            continue;
        if (!flock(lock, LOCK_EX | LOCK_NB))
            discard(path);
        close(lock);
    }
}
