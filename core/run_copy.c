/* run_copy.c - a run taken into another experiment, whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "run.h"
#include "words.h"

/* What decides a run and what came of it: in two equal runs these are the same
   bytes. */
static const char *const decisive[] = {"config.tsv", "log.tsv", "result.tsv"};

static bool
same_file(const char *a, const char *b)
{
    size_t m, n;
    char *x = read_file(a, "table", &m), *y = read_file(b, "table", &n);
    bool same = m == n && !memcmp(x, y, m);
    free(x);
    free(y);
    return same;
}

/* False, with the reason in errno, where it cannot be written. */
static bool
copy_file(const char *from, const char *to)
{
    size_t size;
    char *bytes = read_file(from, "file", &size);
    FILE *file = fopen(to, "wb");
    bool whole = file && fwrite(bytes, 1, size, file) == size;
    free(bytes);
    return file && fclose(file) == 0 && whole;
}

/* Whatever ends the program here, discard_at_exit cleans up. */
static void
must_copy(const Run *r, const char *name, const char *partial)
{
    Path to = within(partial, name);
    if (!copy_file(below(r->path, name).text, to.text))
        fail("%s: cannot be written: %s; nothing of the run was kept", to.text,
             strerror(errno));
}

/* The matrices, where they were kept. */
static void
copy_weights(const Run *r, const char *partial)
{
    DIR *dir = opendir(below(r->path, "weights").text);
    if (!dir && errno == ENOENT)
        return;
    if (!dir)
        fail("%s/weights: cannot be read: %s; nothing of the run was taken",
             r->path, strerror(errno));
    Path to = within(partial, "weights");
    if (mkdir(to.text, 0777))
        fail("%s: cannot be made: %s", to.text, strerror(errno));
    for (struct dirent *e; (e = readdir(dir));) {
        char *name = format_text("weights/%s", e->d_name);
        size_t n = strlen(name);
        if (n > 4 && !strcmp(name + n - 4, ".npy"))
            must_copy(r, name, partial);
        free(name);
    }
    closedir(dir);
}

Copied
run_copy(const Run *r, const char *directory)
{
    static const char *const names[] = {"config.tsv", "log.tsv", "timing.tsv",
                                        "result.tsv"};
    if (run_exists(directory, r->name)) {
        Path there = within(directory, r->name);
        for (size_t i = 0; i < sizeof decisive / sizeof *decisive; i++)
            if (!same_file(below(r->path, decisive[i]).text,
                           below(there.text, decisive[i]).text))
                return DIFFERS;
        return THERE;
    }
    Path partial = run_partial(directory, r->name, (long)getpid());
    discard(partial.text);
    int lock = run_begin(partial.text);
    discard_at_exit(partial.text);
    copy_weights(r, partial.text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        must_copy(r, names[i], partial.text);
    Path to = within(directory, r->name);
    if (rename(partial.text, to.text)) {
        if (errno != EEXIST && errno != ENOTEMPTY)
            fail("%s: cannot be made: %s", to.text, strerror(errno));
        discard(partial.text); /* somebody else brought it first */
    }
    discard_at_exit(NULL);
    close(lock);
    return COPIED;
}
