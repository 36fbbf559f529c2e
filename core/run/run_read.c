/* run_read.c - reads a run, and believes nothing of it unchecked.

   Every run is read here once before it is published, so what is wrong with one
   was cut, or changed by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/npy.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "heart/fail.h"
#include "run/run.h"

/* clang-format off */
const char *const log_columns[LOG_COLUMNS] = {
    "step", "loss", "accuracy", "validation_loss", "validation_accuracy"};
const char *const result_keys[RESULTS] = {
    "status", "steps", "parameters", "attention_parameters", "flops", "cache",
    "solved_at", "loss", "accuracy", "validation_loss", "validation_accuracy",
    "test_loss", "test_accuracy", "chance", "trivial", "chance_loss",
    "unigram_loss", "bigram_loss"};
const char *const test_levels[TEST_LEVELS] = {
    "test_trivial", "test_unigram_loss", "test_bigram_loss"};
/* clang-format on */

/* The setting of a line of config.tsv: the built-in ones in their order, then
   variants' own by name. NULL where it does not belong there. */
static const Setting *
setting_of_line(const Table *t, int i)
{
    const char *name = table_cell(t, i + 1, 0), *last = table_cell(t, i, 0);
    const Setting *s = setting_named(name);
    if (i < settings_built_in)
        return s == &settings[i] ? s : NULL;
    if (!is_own_name(name) || (s && !setting_own(s)) ||
        (i > settings_built_in && strcmp(last, name) >= 0))
        return NULL;
    return setting_declare(name);
}

/* The config of a run, each setting named once. */
static Config
read_config(const char *path)
{
    Table t = table_read(path);
    Config c = config_start();
    if (t.cols != 2 || t.rows < 1 || strcmp(table_cell(&t, 0, 0), "format") ||
        atoi(table_cell(&t, 0, 1)) != RUN_FORMAT)
        fail("%s: not of format %d, so another version of qkv wrote it: use "
             "that one, or another directory",
             path, RUN_FORMAT);
    if (t.rows < settings_built_in + 1)
        fail("%s: %d settings, and there are %d: it was cut or changed; remove "
             "the run to have it again",
             path, t.rows - 1, settings_built_in);
    for (int i = 0; i < t.rows - 1; i++) {
        char name[NAME_SIZE];
        const Setting *s = setting_of_line(&t, i);
        const char *text = table_cell(&t, i + 1, 1),
                   *why = s ? setting_set(s, &c, text)
                            : "is not the setting that belongs here";
        if (why)
            fail("%s:%d: %s: %s; remove the run to have it again", path, i + 3,
                 table_cell(&t, i + 1, 0), why);
        if (setting_plugin(s) && (*text || !i))
            plugin_name(text, name); /* exits where it is none */
    }
    if (c.task[strspn(c.task, "abcdefghijklmnopqrstuvwxyz-")] || !*c.task)
        fail("%s: \"%.64s\" is not the name of a task", path, c.task);
    table_free(&t);
    return c;
}

/* A name must be the one that run.c writes there. An observer may add others
   (`wanted` is NULL), of letters that mean nothing to a shell or to gnuplot. */
static void
check_column(const Run *r, const char *file, int line, const char *name,
             const char *wanted)
{
    if (wanted ? strcmp(name, wanted)
               : !*name || name[strspn(name, NAME_LETTERS ".")])
        fail("%s/%s:%d: \"%.64s\" is not the name that qkv writes there: it "
             "was changed; remove the run to have it again",
             r->path, file, line, name);
}

static void
check_names(const Run *r)
{
    const Table *log = &r->log, *result = &r->result;
    for (int i = 0; i < log->cols || i < LOG_COLUMNS; i++)
        check_column(r, "log.tsv", 1, i < log->cols ? log->cells[i] : "",
                     i < LOG_COLUMNS ? log_columns[i] : NULL);
    for (int i = 0; i < result->rows || i < RESULTS; i++)
        check_column(r, "result.tsv", i + 2,
                     i < result->rows ? table_cell(result, i, 0) : "",
                     i < RESULTS ? result_keys[i] : NULL);
}

/* Its last line is of the last step. */
static void
check_log(const Run *r)
{
    Path path = within(r->path, "log.tsv");
    if (!r->log.rows || table_number(&r->log, r->log.rows - 1, 0, path.text) !=
                            run_number(r, "steps"))
        fail("%s: does not go to step %s, the last that result.tsv has: it was "
             "cut or changed; remove the run to have it again",
             path.text, run_text(r, "steps"));
}

/* How many parameters of its attention are really there, where that was counted
   (real_write). */
static double
read_real(const char *run)
{
    Path path = below(run, "real.tsv");
    const char remedy[] = "remove it: `qkv compare` counts again";
    if (access(path.text, F_OK))
        return -1;
    Table t = table_read_or(path.text, remedy);
    if (t.cols != 2 || t.rows != 1 || strcmp(table_cell(&t, 0, 0), "real"))
        fail("%s: not a line \"real\"; %s", path.text, remedy);
    bool known = strcmp(table_cell(&t, 0, 1), "NA") != 0;
    double real = known ? table_number(&t, 0, 1, path.text) : NAN;
    table_free(&t);
    return real;
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
    check_plain(r.path);
    if (!access(within(r.path, "experiment.tsv").text, F_OK))
        fail("%s: an experiment, a directory of runs: name one of those in it",
             r.path);
    if (access(within(r.path, "config.tsv").text, F_OK) &&
        !access(r.path, F_OK))
        fail("%s: no run: it has no config.tsv; name a directory that `qkv "
             "train` or `qkv compare` made in an experiment",
             r.path);
    r.config = read_config(below(r.path, "config.tsv").text);
    config_digest(&r.config, r.digest);
    r.result = table_read(below(r.path, "result.tsv").text);
    r.log = table_read(below(r.path, "log.tsv").text);
    r.real = read_real(r.path);
    if (r.result.cols != 2)
        fail("%s/result.tsv: not two columns; remove the run to have it again",
             path);
    check_names(&r);
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

/* The line of that name, or -1. */
static int
result_row(const Run *r, const char *key)
{
    for (int i = 0; i < r->result.rows; i++)
        if (!strcmp(table_cell(&r->result, i, 0), key))
            return i;
    return -1;
}

bool
run_has(const Run *r, const char *key)
{
    return result_row(r, key) >= 0;
}

bool
run_converted(const Run *r)
{
    return !strcmp(run_text(r, "status"), "converted");
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

void
run_weights(const Run *r, Model *m)
{
    if (access(within(r->path, "weights").text, F_OK))
        fail("%s: its matrices were not kept: remove it and "
             "train it again",
             r->path);
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        char *name = weight_file(w->name);
        npy_read(below(r->path, name).text, m->values ? w->value : NULL,
                 w->rows, w->cols);
        free(name);
    }
}

/* The dataset of c, the run's settings; or what the run itself says of it. */
static Dataset
run_data(const Run *r, Config *c, bool alone)
{
    struct Corpus *corpus = alone && *c->file ? symbols_read(r->path, c) : NULL;
    if (corpus)
        return dataset_of(c, corpus);
    if (alone && *c->file && access(c->file, F_OK))
        fail("%s: has no symbols.tsv, and its text %s is not there: bring that "
             "back, or train the run again",
             r->path, c->file);
    Dataset data = dataset_open(c);
    if (c->file_hash != r->config.file_hash)
        fail("%s: its text %s has changed since; bring that one back", r->path,
             c->file);
    return data;
}

static Model *
model_of(const Run *r, Dataset *data, bool alone)
{
    Config c = r->config;
    Plugin p = plugin_open(c.variant);
    config_cast(&c, &p);
    if (c.plugin_hash != r->config.plugin_hash)
        note("%s: was trained with another build of %s", r->path, p.name);
    *data = run_data(r, &c, alone);
    Model *outline = model_listed(&c, data->sizes, p.variant);
    run_weights(r, outline);
    model_free(outline);
    Model *m = model_new(&c, data->sizes, p.variant);
    run_weights(r, m);
    return m;
}

Model *
run_model(const Run *r, Dataset *data)
{
    return model_of(r, data, false);
}

Model *
run_model_alone(const Run *r, Dataset *data)
{
    return model_of(r, data, true);
}
