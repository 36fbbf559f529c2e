/* run_read.c - reads a run, and believes nothing of it unchecked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "npy.h"
#include "plugin.h"
#include "run.h"
#include "words.h"

/* The config of a run, each setting named once. */
static Config
read_config(const char *path)
{
    Table t = table_read(path);
    Config c = {0};
    if (t.cols != 2 || t.rows < 1 || strcmp(table_cell(&t, 0, 0), "format") ||
        atoi(table_cell(&t, 0, 1)) != RUN_FORMAT)
        fail("%s: not of format %d, so another version of qkv wrote it: use "
             "that one, or another --out",
             path, RUN_FORMAT);
    if (t.rows != setting_count + 1)
        fail("%s: %d settings, and there are %d: it was cut or changed; remove "
             "the run to have it again",
             path, t.rows - 1, setting_count);
    for (int i = 0; i < setting_count; i++) {
        const char *why =
            strcmp(table_cell(&t, i + 1, 0), settings[i].name)
                ? "is not the setting that belongs here"
                : setting_set(&settings[i], &c, table_cell(&t, i + 1, 1));
        if (why)
            fail("%s:%d: %s: %s; remove the run to have it again", path, i + 3,
                 table_cell(&t, i + 1, 0), why);
    }
    if (c.task[strspn(c.task, "abcdefghijklmnopqrstuvwxyz-")] || !*c.task)
        fail("%s: \"%.64s\" is not the name of a task", path, c.task);
    char name[NAME_SIZE];
    plugin_name(c.variant, name); /* exits where it is none */
    if (*c.encoder_variant)
        plugin_name(c.encoder_variant, name);
    if (*c.cross_variant)
        plugin_name(c.cross_variant, name);
    table_free(&t);
    return c;
}

/* The line of that name, or -1. */
static int
find_row(const Run *r, const char *key)
{
    for (int i = 0; i < r->result.rows; i++)
        if (!strcmp(table_cell(&r->result, i, 0), key))
            return i;
    return -1;
}

/* No result is given twice. */
static void
check_result(const Run *r)
{
    for (int i = 0; i < r->result.rows; i++)
        if (find_row(r, table_cell(&r->result, i, 0)) != i)
            fail("%s/result.tsv:%d: %s a second time: it was changed; remove "
                 "the run to have it again",
                 r->path, i + 2, table_cell(&r->result, i, 0));
}

/* The log goes to the last step that was done, from line to line. */
static void
check_log(const Run *r)
{
    Path path = within(r->path, "log.tsv");
    double last = -1;
    for (int i = 0; i < r->log.rows; i++) {
        double step = table_number(&r->log, i, 0, path.text);
        if (!(step > last))
            fail("%s:%d: step %.10g after step %.10g: it was changed; remove "
                 "the run to have it again",
                 path.text, i + 2, step, last);
        last = step;
    }
    if (!r->log.rows || strcmp(r->log.cells[0], "step") ||
        table_number(&r->log, r->log.rows - 1, 0, path.text) !=
            run_number(r, "steps"))
        fail("%s: does not go to step %s, the last that result.tsv has: it was "
             "cut or changed; remove the run to have it again",
             path.text, run_text(r, "steps"));
}

Run
run_read(const char *path)
{
    Run r = {.path = copy_text(path)};
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        r.path[--n] = 0;
    const char *slash = strrchr(r.path, '/');
    r.name = copy_text(slash ? slash + 1 : r.path);
    if (!access(within(r.path, "experiment.tsv").text, F_OK))
        fail("%s: an experiment, a directory of runs: name one of those in it",
             r.path);
    if (access(within(r.path, "config.tsv").text, F_OK) &&
        !access(r.path, F_OK))
        fail("%s: no run: it has no config.tsv; name a directory that `qkv "
             "train` or `qkv compare` made within its --out",
             r.path);
    r.config = read_config(below(r.path, "config.tsv").text);
    r.result = table_read(below(r.path, "result.tsv").text);
    r.log = table_read(below(r.path, "log.tsv").text);
    if (r.result.cols != 2)
        fail("%s/result.tsv: not two columns; remove the run to have it again",
             path);
    check_result(&r);
    check_log(&r);
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

bool
run_has(const Run *r, const char *key)
{
    return find_row(r, key) >= 0;
}

static int
result_row(const Run *r, const char *key)
{
    int row = find_row(r, key);
    if (row >= 0)
        return row;
    fail("%s/result.tsv: no line \"%s\": not a result that this qkv wrote; "
         "remove the run to have it again",
         r->path, key);
}

const char *
run_text(const Run *r, const char *key)
{
    return table_cell(&r->result, result_row(r, key), 1);
}

double
run_number(const Run *r, const char *key)
{
    return table_number(&r->result, result_row(r, key), 1,
                        within(r->path, "result.tsv").text);
}

char *
weight_file(const char *name)
{
    char *file = format_text("weights/%s.npy", name);
    for (char *c = file; *c; c++)
        *c = *c == '^' ? '_' : *c;
    return file;
}

/* Does every matrix have a file of about its size? Asked before any memory is
   taken for them. */
static void
check_sizes(const Run *r, const Model *m)
{
    struct stat facts;
    if (access(within(r->path, "weights").text, F_OK))
        fail("%s: its matrices were not kept (--no-weights): remove it and "
             "train it again",
             r->path);
    for (int i = 0; i < m->count; i++) {
        const Weight *w = &m->weights[i];
        char *name = weight_file(w->name);
        Path path = below(r->path, name);
        double least = 4. * w->rows * w->cols;
        if (stat(path.text, &facts))
            fail("%s: the matrix cannot be read: %s", path.text,
                 strerror(errno));
        if ((double)facts.st_size < least)
            fail("%s: cut short: %.0f bytes where %d x %d numbers take %.0f",
                 path.text, (double)facts.st_size, w->rows, w->cols, least);
        free(name);
    }
}

void
run_weights(const Run *r, Model *m)
{
    check_sizes(r, m);
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        char *name = weight_file(w->name);
        npy_read(below(r->path, name).text, w->value, w->rows, w->cols);
        free(name);
    }
}

Config
run_believed(const Run *r)
{
    Config c = r->config;
    const char **words[] = {&c.variant, &c.encoder_variant, &c.cross_variant};
    for (int i = 0; i < 3; i++) {
        char name[NAME_SIZE], *tried;
        if (!strchr(*words[i], '/') || plugin_was_given(*words[i]))
            continue;
        plugin_name(*words[i], name);
        char *path = plugin_find(name, &tried);
        if (!path)
            fail("%s: it was trained with the file %s, and a run is not "
                 "believed where code is concerned: QKV_PATH=DIRECTORY lets "
                 "%s be found",
                 r->path, *words[i], name);
        *words[i] = interned(name);
        free(path);
        free(tried);
    }
    return c;
}

Model *
run_model(const Run *r, Source *s)
{
    Config c = run_believed(r);
    Plugin p = plugin_open(c.variant);
    config_cast(&c, &p);
    if (c.plugin_hash != r->config.plugin_hash)
        note("%s: was trained with another build of %s", r->path, p.name);
    *s = source_open(&c);
    if (c.file_hash != r->config.file_hash)
        fail("%s: its text %s has changed since; bring that one back", r->path,
             c.file);
    Model *outline = model_outline(&c, s->sizes, p.variant);
    check_sizes(r, outline);
    model_free(outline);
    Model *m = model_new(&c, s->sizes, p.variant);
    run_weights(r, m);
    return m;
}
