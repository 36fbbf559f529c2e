/* run.c - names, writes and reads a run, a directory of plain files.

   Somebody else may have written the files, so every name and number in them is
   checked before it is used. */
#include <libgen.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "algebra/cost.h"
#include "base/npy.h"
#include "config/find_plugin.h"
#include "run/run.h"
#include "training/solved_or_diverged.h"

/* Adds a setting of c to a run's name, unless the setting has its default value
   or the name is long already. The name's digest still tells runs apart. */
static void
add_setting(char **name, const Setting *s, const Config *c,
            const Config *defaults)
{
    enum { LONG_NAME = 150 }; /* a file's name may have 255 characters */
    if (!setting_equal(s, c, defaults) && strlen(*name) <= LONG_NAME)
        *name = format_text("%s.%s%s", *name, s->name, setting_text(s, c));
}

char *
run_name(const Config *c, const char *uses)
{
    OwnSetting own;
    char digest[DIGEST_SIZE];
    Config defaults = task_start(c->task);
    config_resolve(&defaults, uses);
    config_digest(c, digest);
    char *name = format_text("%s.%s", c->task, plugin_name(c->variant));
    for (const Setting *s = settings; s < settings + settings_built_in; s++) {
        bool has_option = s->help; /* only such a setting can be given */
        /* Words are in the name already, or too long. The seed comes last. */
        bool left_out = s->kind & WORDED || !strcmp(s->name, "seed");
        if (has_option && !left_out)
            add_setting(&name, s, c, &defaults);
    }
    const char *at = c->settings; /* those that the variant declares */
    while (next_own_setting(&at, &own))
        add_setting(&name, setting_named(own.name), c, &defaults);
    return format_text("%s.seed%d.%s", name, c->seed, digest);
}

/* Writes `count` numbers as the next cells of a line of the log. */
static void
put_cells(FILE *file, const double *x, int count)
{
    for (int k = 0; k < count; k++)
        fprintf(file, "\t%s", number_text(x[k], FLOAT_DIGITS));
}

/* Writes log.tsv: a line for each row of the log, in which the observed columns
   come last. */
static void
write_log(const char *run, const Result *r, const Observer *o)
{
    FILE *file = begin_file(run, "log.tsv");
    fputs("step\tloss\taccuracy\tvalidation_loss\tvalidation_accuracy", file);
    for (int k = 0; k < o->count; k++)
        fprintf(file, "\t%s", o->names.text[k]);
    for (int i = 0; i < r->count; i++) {
        const LogRow *row = &r->rows[i];
        const double x[] = {row->loss, row->accuracy, row->validation_loss,
                            row->validation_accuracy};
        fprintf(file, "\n%d", row->step);
        put_cells(file, x, sizeof x / sizeof *x);
        if (o->count)
            put_cells(file, o->values + i * o->count, o->count);
    }
    fprintf(file, "\n");
    end_file(file, run, "log.tsv");
}

FILE *
begin_pairs(const char *run, const char *name)
{
    FILE *file = begin_file(run, name);
    fprintf(file, "key\tvalue\n");
    return file;
}

void
put_pair(FILE *file, const char *key, double value, int digits)
{
    fprintf(file, "%s\t%s\n", key, number_text(value, digits));
}

/* Writes config.tsv: the format, then every built-in setting in the order of
   settings[]. */
static void
write_config(const char *run, const Config *c)
{
    FILE *file = begin_pairs(run, "config.tsv");
    put_pair(file, "format", RUN_FORMAT, ALL_DIGITS);
    for (const Setting *s = settings; s < settings + settings_built_in; s++)
        fprintf(file, "%s\t%s\n", s->name, setting_text(s, c));
    end_file(file, run, "config.tsv");
}

/* Writes the values that were observed at the last line of the log. */
static void
put_observed(FILE *file, const Observer *o)
{
    int first = (o->lines - 1) * o->count; /* the last line begins here */
    for (int k = 0; k < o->count; k++)
        put_pair(file, o->names.text[k], o->values[first + k], FLOAT_DIGITS);
}

/* Writes result.tsv: the results of the model and of trivial baselines, and the
   last line of the observed columns. */
static void
write_result(const char *run, const Model *m, const Finished *e,
             const Observer *o, const Dataset *data)
{
    const Result *r = &e->result;
    const LogRow *last = &r->rows[r->count - 1];
    Baselines validation = dataset_baselines(data, VALIDATION);
    Baselines test = dataset_baselines(data, TEST);
    double flops, cache;
    model_cost(m, &flops, &cache);
    /* The plugin may have set a locale that writes 0,5 for 0.5. It is not
       called any more, so its locale can be replaced. */
    uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    /* clang-format off */
    const struct { const char *key; double value; } lines[] = {
        {"steps", r->steps}, {"parameters", (double)m->parameters},
        {"attention_parameters", (double)attention_parameters(m)},
        {"flops", flops}, {"cache", cache}, {"solved_at", e->solved_at},
        {"loss", last->loss}, {"accuracy", last->accuracy},
        {"validation_loss", last->validation_loss},
        {"validation_accuracy", last->validation_accuracy},
        {"test_loss", r->test_loss}, {"test_accuracy", r->test_accuracy},
        {"chance", validation.chance}, {"trivial", validation.trivial},
        {"chance_loss", validation.chance_loss},
        {"bigram_loss", validation.bigram_loss}};
    /* clang-format on */
    FILE *file = begin_pairs(run, "result.tsv");
    fprintf(file, "status\t%s\n", has_diverged(m, r) ? "diverged" : "finished");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        put_pair(file, lines[i].key, lines[i].value, RESULT_DIGITS);
    if (*m->config.file) { /* the test part of a text has other baselines */
        put_pair(file, "test_trivial", test.trivial, RESULT_DIGITS);
        put_pair(file, "test_bigram_loss", test.bigram_loss, RESULT_DIGITS);
    }
    put_observed(file, o);
    end_file(file, run, "result.tsv");
}

/* Writes timing.tsv: times and memory. */
static void
write_timing(const char *run, const Finished *e, const Model *m)
{
    const Result *r = &e->result;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double peak = 1024. * (double)usage.ru_maxrss; /* KiB to bytes */
    double tokens = (double)r->steps * m->config.batch * m->sizes.tokens;
    FILE *file = begin_pairs(run, "timing.tsv");
    put_pair(file, "seconds", e->seconds, TIME_DIGITS);
    put_pair(file, "tokens_per_second", tokens / e->seconds, TIME_DIGITS);
    put_pair(file, "peak_bytes", peak, ALL_DIGITS);
    put_pair(file, "step_bytes", (double)r->tape_bytes, ALL_DIGITS);
    end_file(file, run, "timing.tsv");
}

/* The file of a weight in a folder of a run: for "block0.attention.W^Q",
   "weights/block0.attention.W_Q.npy". */
static char *
weight_file(const char *folder, const char *name)
{
    char *file = format_text("%s/%s.npy", folder, name);
    replace_in(file, "^", '_');
    return file;
}

/* The entries of a weight begin at the same index in `entries` as in m->values.
 */
void
matrices_write(const char *run, const char *folder, const Model *m,
               const real *entries)
{
    new_directory(run, folder);
    for (int i = 0; i < m->count; i++) {
        const Weight *w = &m->weights[i];
        const real *matrix = entries + (w->value - m->values);
        npy_write(run, weight_file(folder, w->name), NPY_REALS, matrix,
                  (NpyShape){.first = w->rows, .second = w->cols});
    }
}

char *
run_write(const Draft *d, const char *name, const Model *m, const Finished *e,
          const Observer *o, const Dataset *data)
{
    char *run = new_directory(d->path, name);
    write_result(run, m, e, o, data);
    write_config(run, &m->config);
    write_log(run, &e->result, o);
    write_timing(run, e, m);
    return run;
}

/* Reads config.tsv. The file has a heading, the format, and the settings in the
   order of settings[]. Lines are counted from 1 and rows from 0, without the
   heading: row i is line i + 2. */
static Config
read_config(const char *path)
{
    enum { FORMAT_ROW, FIRST_SETTING };
    Table t = {.rows = 0};
    Config c = config_start();
    table_add(&t, path);
    if (strcmp(table_cell(&t, FORMAT_ROW, NAME_COLUMN), "format") ||
        atoi(table_cell(&t, FORMAT_ROW, VALUE_COLUMN)) != RUN_FORMAT)
        fail("%s: another version of qkv wrote it (its format is not %d): use "
             "that version, or choose another directory",
             path, RUN_FORMAT);
    if (t.rows != FIRST_SETTING + settings_built_in)
        fail_damaged_table(path, t.rows + 1); /* the last line of the file */
    for (int i = 0; i < settings_built_in; i++) {
        int row = FIRST_SETTING + i, line = row + 2;
        const char *name = table_cell(&t, row, NAME_COLUMN);
        const char *text = table_cell(&t, row, VALUE_COLUMN);
        const Setting *s = &settings[i];
        if (strcmp(s->name, name) || setting_set(s, &c, text))
            fail_damaged_table(path, line);
        if (s->kind == PLUGIN && *text)
            plugin_name(text); /* exits if the name is not allowed */
    }
    /* The task becomes part of the names of files. Of the other words only the
       names of plugins do, and these are checked above. */
    size_t in_alphabet = strspn(c.task, "abcdefghijklmnopqrstuvwxyz-");
    if (in_alphabet == 0 || in_alphabet < strlen(c.task))
        fail("%s: \"%.64s\" is not the name of a task: the file was changed; "
             "restore it",
             path, c.task);
    return c;
}

bool
run_exists(const char *directory, const char *name)
{
    return !access(within(within(directory, name), "result.tsv"), F_OK);
}

/* The files that are read into Run.result. The first must exist, the others
   need not. */
static const char *const results[] = {"result.tsv", "timing.tsv", "real.tsv"};

Run
run_read(const char *path)
{
    Run r = {.path = copy_text(path)};
    r.name = basename(copy_text(path)); /* ignores a / at the end */
    if (access(within(r.path, "config.tsv"), F_OK))
        fail("%s: it is not a run (it has no config.tsv); name a "
             "directory that `qkv train` or `qkv compare` made in --out",
             r.path);
    r.config = read_config(within(r.path, "config.tsv"));
    table_add(&r.log, within(r.path, "log.tsv"));
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        char *file = within(r.path, results[i]);
        if (i == 0 || !access(file, F_OK))
            table_add(&r.result, file);
    }
    return r;
}

const char *
run_text(const Run *r, const char *key)
{
    return table_lookup(&r->result, key, VALUE_COLUMN);
}

double
run_number(const Run *r, const char *key)
{
    const char *text = run_text(r, key);
    return text ? cell_value(text, r->path) : NAN;
}

/* The files are in no particular order, so their hashes are added. */
const char *
run_identity(const Run *r)
{
    char *folder = within(r->path, "weights");
    Values files = names_in(folder);
    uint64_t hash = 0;
    for (int i = 0; i < files.count; i++) {
        const char *name = files.text[i];
        size_t size;
        char *bytes = read_file(within(folder, name), "weight", &size);
        uint64_t of_name = hash_bytes(HASH_START, name, strlen(name) + 1);
        hash += hash_bytes(of_name, bytes, size);
        free(bytes);
    }
    return interned(
        format_text("%s.%016llx", r->name, (unsigned long long)hash));
}

void
run_weights(const Run *r, Model *m)
{
    if (m->config.file_hash != r->config.file_hash)
        fail("%s: %s has changed since this run; restore the original", r->path,
             r->config.file);
    if (access(within(r->path, "weights"), F_OK))
        fail("%s: it has no weights, as after --no-weights: remove the run and "
             "train it again",
             r->path);
    for (int i = 0; i < m->count; i++) {
        Weight *w = &m->weights[i];
        char *name = weight_file("weights", w->name);
        npy_read(within(r->path, name), w->value, w->rows, w->cols);
    }
}

Model *
run_model(const Run *r, Dataset *data)
{
    const Config *trained = &r->config;
    Model *m = model_open(*trained, data);
    if (m->config.plugin_hash != trained->plugin_hash)
        note("%s: it was trained with another build of %s", r->path,
             trained->variant);
    run_weights(r, m);
    return m;
}
