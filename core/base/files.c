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

bool
is_empty(const char *directory)
{
    DIR *dir = opendir(directory);
    int entries = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        entries += !is_draft(e->d_name);
    if (dir)
        closedir(dir);
    return entries <= 2;
}

void
discard(const char *path)
{
    if (!unlink(path) || (errno != EISDIR && errno != EPERM))
        return;
    chmod(path, 0700); /* it may have been made under any umask */
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char *inner = format_text("%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            discard(inner);
        free(inner);
    }
    if (dir)
        closedir(dir);
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

/* Everything is on the disk before any of it has its name: what a power cut
   leaves is complete, or a draft. */
static bool
put_on_disk(Draft *d)
{
#ifdef __linux__
    d->on_disk = d->on_disk || !syncfs(d->lock);
#else
    d->on_disk = true;
    sync();
#endif
    return d->on_disk;
}

bool
draft_publish(Draft *d, const char *name, bool replace)
{
    Path from = within(d->path.text, name), to = within(d->place, name),
         old = within(d->path.text, "@replaced");
    if (!put_on_disk(d))
        not_written(to.text);
    while (rename(from.text, to.text)) {
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR &&
            errno != EISDIR)
            not_written(to.text);
        if (!replace)
            return false;
#ifdef RENAME_EXCHANGE /* in one step, if the file system can do that */
        if (!renameat2(AT_FDCWD, from.text, AT_FDCWD, to.text, RENAME_EXCHANGE))
            return true;
#endif
        discard(old.text); /* what was there goes with the draft */
        if (rename(to.text, old.text) && errno != ENOENT)
            not_written(to.text);
    }
    return true;
}

void
draft_publish_all(Draft *d)
{
    struct dirent **entries;
    int count = scandir(d->path.text, &entries, NULL, NULL);
    if (count < 0)
        not_written(d->place);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.')
            draft_publish(d, entries[i]->d_name, true);
        free(entries[i]);
    }
    free(entries);
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
    DIR *dir = opendir(directory);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!is_draft(e->d_name))
            continue;
        Path path = within(directory, e->d_name);
        int lock =
            open(path.text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (lock >= 0 && !fstat(lock, &facts) && facts.st_uid == geteuid() &&
            !flock(lock, LOCK_EX | LOCK_NB))
            discard(path.text);
        if (lock >= 0)
            close(lock);
    }
    if (dir)
        closedir(dir);
}
