/* files.c - paths, and directories that come and go as a whole. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/report.h"
#include "base/words.h"
#include "heart/fail.h"

Path
within(const char *directory, const char *name)
{
    Path p;
    if (snprintf(p.text, sizeof p.text, "%s/%s", directory, name) >=
        (int)sizeof p.text)
        fail("%s/%s: the path is longer than %zu bytes", directory, name,
             sizeof p.text);
    return p;
}

Path
new_directory(const char *directory, const char *name)
{
    Path p = within(directory, name);
    if (mkdir(p.text, 0777))
        fail("%s: cannot be made: %s", p.text, strerror(errno));
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
    Path path = within(directory, name);
    FILE *file = fopen(path.text, "wb");
    if (!file)
        not_written(path.text);
    return file;
}

void
end_file(FILE *file, const char *directory, const char *name)
{
    bool failed = ferror(file);
    if (fclose(file) || failed)
        not_written(within(directory, name).text);
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
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            values_add(&names, copy_text(e->d_name));
    if (dir)
        closedir(dir);
    return names;
}

void
discard(const char *path)
{
    if (!unlink(path) || (errno != EISDIR && errno != EPERM))
        return;
    chmod(path, 0700); /* it may have been made under any umask */
    Values names = names_in(path);
    for (int i = 0; i < names.count; i++)
        discard(within(path, names.text[i]).text);
    values_free(&names);
    rmdir(path);
}

int
lock_path(const char *path, int how)
{
    struct stat locked, there;
    for (;;) {
        int lock = open(path, how | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (lock < 0 && errno != ENOENT)
            fail("%s: cannot be opened: %s", path, strerror(errno));
        if (lock < 0)
            return -1;
        while (flock(lock, LOCK_EX) && errno == EINTR)
            ;
        if (!fstat(lock, &locked) && !lstat(path, &there) &&
            locked.st_ino == there.st_ino)
            return lock;
        close(lock); /* somebody has replaced or removed it meanwhile */
    }
}

static int open_drafts;

Draft *
draft_begin(const char *directory, const char *name)
{
    Draft *d = allocate(1, sizeof *d);
    char *hidden = format_text(".%.100s" DRAFT "XXXXXX", name);
    if (open_drafts++ == 0) /* others are within the first */
        snprintf(report->drafts, sizeof report->drafts, "%s", directory);
    d->place = copy_text(directory);
    do {
        d->path = within(directory, hidden);
        if (!mkdtemp(d->path.text))
            fail("%s: nothing can be written there: %s", directory,
                 strerror(errno));
        d->lock = lock_path(d->path.text, O_RDONLY);
    } while (d->lock < 0); /* swept away before it was locked */
    free(hidden);
    return d;
}

#ifndef __linux__
#define syncfs(file) (sync(), 0)
#endif

/* Everything is on the disk before any of it has its name: what a power cut
   leaves is complete, or a draft. */
bool
draft_publish(Draft *d, const char *name, bool replace)
{
    char *aside = format_text("%s@", name); /* where what was there goes */
    Path from = within(d->path.text, name), to = within(d->place, name),
         old = within(d->path.text, aside);
    free(aside);
    if (!d->on_disk && syncfs(d->lock))
        not_written(to.text);
    d->on_disk = true;
    while (rename(from.text, to.text)) {
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR &&
            errno != EISDIR)
            not_written(to.text);
        if (!replace)
            return false;
        discard(old.text);
        if (rename(to.text, old.text) && errno != ENOENT)
            not_written(to.text);
    }
    return true;
}

void
draft_publish_all(Draft *d)
{
    Values names = names_in(d->path.text);
    for (int i = 0; i < names.count; i++)
        if (*names.text[i] != '.')
            draft_publish(d, names.text[i], true);
    values_free(&names);
    draft_end(d);
}

void
draft_end(Draft *d)
{
    discard(d->path.text);
    close(d->lock);
    free(d->place);
    free(d);
    if (--open_drafts == 0)
        *report->drafts = 0;
}

void
drafts_sweep(const char *directory)
{
    struct stat facts;
    Values names = names_in(directory);
    for (int i = 0; i < names.count; i++) {
        Path path = within(directory, names.text[i]);
        int lock = !is_draft(names.text[i])
                       ? -1
                       : open(path.text,
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (lock < 0)
            continue;
        if (!fstat(lock, &facts) && facts.st_uid == geteuid() &&
            !flock(lock, LOCK_EX | LOCK_NB))
            discard(path.text);
        close(lock);
    }
    values_free(&names);
}
