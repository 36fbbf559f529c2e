/* run_read.c - reads a run, whose files are data: it is believed that they have
   the names and numbers that qkv writes, once they are looked at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/npy.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "heart/fail.h"
#include "run/run.h"

/* Config.tsv has the built-in settings in their order, then variants' own. */
static Config
read_config(const char *path)
{
    Table t = table_read(path);
    Config c = config_start();
    if (strcmp(table_cell(&t, 0, 0), "format") ||
        atoi(table_cell(&t, 0, 1)) != RUN_FORMAT)
        fail("%s: not of format %d, so another version of qkv wrote it: use "
             "that one, or another directory",
             path, RUN_FORMAT);
    if (t.rows <= settings_built_in)
        table_changed(path, t.rows + 1);
    for (int i = 0; i < t.rows - 1; i++) {
        const char *name = table_cell(&t, i + 1, 0);
        const char *text = table_cell(&t, i + 1, 1);
        const Setting *s =
            i < settings_built_in ? &settings[i] : setting_declare(name);
        if (!s || strcmp(s->name, name) || setting_set(s, &c, text))
            table_changed(path, i + 3);
        if (s->kind == PLUGIN)
            plugin_name(text, (char[NAME_SIZE]){0}); /* exits if it is none */
    }
    if (c.task[strspn(c.task, "abcdefghijklmnopqrstuvwxyz-")] || !*c.task)
        fail("%s: \"%.64s\" is not the name of a task", path, c.task);
    table_free(&t);
    return c;
}

static const char *const results[] = {"result.tsv", "timing.tsv", "real.tsv"};

Run
run_read(const char *path)
{
    struct stat facts;
    Run r = {.path = copy_text(path)};
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        r.path[--n] = 0;
    const char *slash = strrchr(r.path, '/');
    r.name = copy_text(slash ? slash + 1 : r.path);
    if (lstat(r.path, &facts) || !S_ISDIR(facts.st_mode) ||
        access(within(r.path, "config.tsv").text, F_OK))
        fail("%s: no run: name a directory with a config.tsv, no link, as "
             "`qkv train` and `qkv compare` make it in an experiment",
             r.path);
    r.config = read_config(within(r.path, "config.tsv").text);
    r.log = table_read(within(r.path, "log.tsv").text);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        Path path = within(r.path, results[i]);
        if (i == 0 || !access(path.text, F_OK))
            table_add(&r.result, path.text);
    }
    return r;
}

void
run_free(Run *r)
{
    free(r->path);
    free(r->name);
    table_free(&r->result);
    table_free(&r->log);
}

/* The row of that name, or -1. */
static int
result_row(const Run *r, const char *key)
{
    int row = r->result.rows - 1;
    while (row >= 0 && strcmp(table_cell(&r->result, row, 0), key))
        row--;
    return row;
}

bool
run_has(const Run *r, const char *key)
{
    return result_row(r, key) >= 0;
}

const char *
run_text(const Run *r, const char *key)
{
    int row = result_row(r, key);
    return row < 0 ? "" : table_cell(&r->result, row, 1);
}

double
run_number(const Run *r, const char *key)
{
    int row = result_row(r, key);
    return row < 0 ? NAN : table_number(&r->result, row, 1, r->path);
}

char *
weight_file(const char *folder, const char *name)
{
    char *file = format_text("%s/%s.npy", folder, name);
    for (char *c = file; *c; c++)
        *c = *c == '^' ? '_' : *c;
    return file;
}

void
run_weights(const Run *r, Model *m)
{
    if (access(within(r->path, "weights").text, F_OK))
        fail("%s: its matrices were not kept: remove it and "
             "train it again",
             r->path);
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        char *name = weight_file("weights", w->name);
        npy_read(within(r->path, name).text, w->value, w->rows, w->cols);
        free(name);
    }
}

Model *
run_model(const Run *r, Dataset *data)
{
    Config c = r->config;
    Plugin p = plugin_open(c.variant);
    config_cast(&c, &p);
    if (c.plugin_hash != r->config.plugin_hash)
        note("%s: was trained with another build of %s", r->path, p.name);
    *data = dataset_open(&c);
    if (c.file_hash != r->config.file_hash)
        fail("%s: its text %s has changed since; bring that one back", r->path,
             c.file);
    Model *m = model_new(&c, data->sizes, p.variant);
    run_weights(r, m);
    return m;
}
