/* run_copy.c - a run taken into another experiment, whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "run/run.h"

/* The first three decide a run and say what came of it: in two equal runs they
   are the same bytes. */
static const char *const tables[] = {"config.tsv", "log.tsv", "result.tsv",
                                     "timing.tsv"};
enum { DECISIVE = 3, TABLES };

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

static void
copy_file(const Run *r, const char *name, const char *to)
{
    char part[1 << 16];
    size_t size, n;
    FILE *in = open_file(below(r->path, name).text, "file", MOST_BYTES, &size);
    FILE *out = begin_file(to, name);
    while ((n = fread(part, 1, sizeof part, in)))
        fwrite(part, 1, n, out);
    if (ferror(in))
        fail("%s/%s: cannot be read: %s; nothing of the run was taken", r->path,
             name, strerror(errno));
    fclose(in);
    end_file(out, to, name);
}

/* The matrices, where they were kept. */
static void
copy_weights(const Run *r, const char *to)
{
    DIR *dir = opendir(below(r->path, "weights").text);
    if (!dir && errno == ENOENT)
        return;
    if (!dir)
        fail("%s/weights: cannot be read: %s; nothing of the run was taken",
             r->path, strerror(errno));
    new_directory(to, "weights");
    for (struct dirent *e; (e = readdir(dir));) {
        char *name = format_text("weights/%s", e->d_name);
        size_t n = strlen(name);
        if (n > 4 && !strcmp(name + n - 4, ".npy"))
            copy_file(r, name, to);
        free(name);
    }
    closedir(dir);
}

/* False where somebody else brought it first. */
static bool
bring(const Run *r, const char *directory)
{
    Draft *d = draft_begin(directory, r->name);
    Path to = new_directory(d->path.text, r->name);
    copy_weights(r, to.text);
    for (int i = 0; i < TABLES; i++)
        copy_file(r, tables[i], to.text);
    return run_publish(d, r->name, false);
}

Copied
run_copy(const Run *r, const char *directory)
{
    if (!run_exists(directory, r->name) && bring(r, directory))
        return COPIED;
    Path there = within(directory, r->name);
    for (int i = 0; i < DECISIVE; i++)
        if (!same_file(below(r->path, tables[i]).text,
                       below(there.text, tables[i]).text))
            return DIFFERS;
    return THERE;
}
