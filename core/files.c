/* files.c - paths, and directories that come and go as a whole. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "files.h"

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
below(const char *directory, const char *name)
{
    struct stat facts;
    Path p = within(directory, name);
    for (char *c = p.text + strlen(directory) + 1;; c++) {
        char end = *c;
        if (end && end != '/')
            continue;
        *c = 0;
        if (!lstat(p.text, &facts) && S_ISLNK(facts.st_mode))
            fail("%s: a link: those in an experiment are not followed; put the "
                 "file itself there",
                 p.text);
        *c = end;
        if (!end)
            return p;
    }
}

bool
is_empty(const char *directory)
{
    DIR *dir = opendir(directory);
    int entries = 0;
    while (dir && readdir(dir))
        entries++;
    if (dir)
        closedir(dir);
    return entries <= 2;
}

void
discard(const char *path)
{
    if (!unlink(path) || (errno != EISDIR && errno != EPERM))
        return;
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

static Path pending;

static void
discard_pending(void)
{
    if (*pending.text)
        discard(pending.text);
}

void
discard_at_exit(const char *path)
{
    static bool noted;
    if (!noted)
        noted = !atexit(discard_pending);
    snprintf(pending.text, sizeof pending.text, "%s", path ? path : "");
}
