/* run.c - a run is a directory of plain files: its name, and how it is
   written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "algebra/forms.h"
#include "base/npy.h"
#include "base/words.h"
#include "config/find_plugin.h"
#include "config/schedule.h"
#include "heart/fail.h"
#include "run/run.h"

/* clang-format off */
static const char *const result_keys[RESULTS] = {
    "status", "steps", "parameters", "attention_parameters", "flops", "cache",
    "solved_at", "loss", "accuracy", "validation_loss", "validation_accuracy",
    "test_loss", "test_accuracy", "chance", "trivial", "chance_loss",
    "unigram_loss", "bigram_loss"};
/* clang-format on */

char *
run_name(const Config *c, const Config *ordinary)
{
    char variant[NAME_SIZE], digest[9], value[VALUE_SIZE];
    plugin_name(c->variant, variant);
    config_digest(c, digest);
    char *name = format_text("%s.%s", c->task, variant);
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = setting_in_order(i);
        bool plugin =
            setting_plugin(s) && s->offset != offsetof(Config, variant);
        if (!s->help || (setting_worded(s) && !plugin) ||
            !strcmp(s->name, "seed"))
            continue;
        if (setting_equal(s, c, ordinary) || strlen(name) > 150 ||
            (setting_own(s) && setting_unused(s, c)))
            continue;
        setting_print(s, c, value);
        if (plugin && *value)
            plugin_name(interned(value), value);
        replace(&name, format_text("%s.%s%s", name, s->name, value));
    }
    const char *end = c->from + strlen(c->from);
    replace(&name, format_text(
                       "%s%s%s.seed%d.%s", name, *c->from ? ".from" : "",
                       end - c->from > 8 ? end - 8 : c->from, c->seed, digest));
    return name;
}

static void
write_config(const char *run, const Config *c)
{
    char value[VALUE_SIZE];
    FILE *file = begin_file(run, "config.tsv");
    fprintf(file, "key\tvalue\nformat\t%d\n", RUN_FORMAT);
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = setting_in_order(i);
        setting_print(s, c, value);
        if (!setting_own(s) || !setting_unused(s, c))
            fprintf(file, "%s\t%s\n", s->name, value);
    }
    end_file(file, run, "config.tsv");
}

void
put_log_columns(FILE *file)
{
    for (int k = 0; k < LOG_COLUMNS; k++)
        fprintf(file, "%s%s", k ? "\t" : "", log_columns[k]);
}

void
put_log_row(FILE *file, const LogRow *row)
{
    char n[4][32];
    fprintf(file, "%d\t%s\t%s\t%s\t%s", row->step,
            number_text(row->loss, 7, n[0]),
            number_text(row->accuracy, 7, n[1]),
            number_text(row->validation_loss, 7, n[2]),
            number_text(row->validation_accuracy, 7, n[3]));
}

static void
write_log(const char *run, const Result *r, const Observer *o)
{
    char n[32];
    FILE *file = begin_file(run, "log.tsv");
    put_log_columns(file);
    for (int k = 0; k < o->count; k++)
        fprintf(file, "\t%s", o->names[k]);
    fprintf(file, "\n");
    for (int i = 0; i < r->count; i++) {
        put_log_row(file, &r->rows[i]);
        for (int k = 0; k < o->count; k++)
            fprintf(file, "\t%s",
                    number_text(o->values[i * o->count + k], 7, n));
        fprintf(file, "\n");
    }
    end_file(file, run, "log.tsv");
}

static void
write_result(const char *run, const Model *m, const Finished *e,
             const Observer *o, const Dataset *data)
{
    const Result *r = &e->result;
    const LogRow *last = &r->rows[r->count - 1];
    Levels l = dataset_levels(data, VALIDATION);
    double flops, cache;
    model_cost(m, &flops, &cache);
    /* clang-format off */
    const double values[RESULTS - 1] = { /* behind the status */
        r->steps, (double)m->parameters, (double)attention_parameters(m), flops,
        cache, e->solved_at, last->loss, last->accuracy, last->validation_loss,
        last->validation_accuracy, r->test_loss, r->test_accuracy, l.chance,
        l.trivial, l.chance_loss, l.unigram_loss, l.bigram_loss};
    /* clang-format on */
    char n[32];
    FILE *file = begin_file(run, "result.tsv");
    fprintf(file, "key\tvalue\n%s\t%s\n", result_keys[0],
            e->converted         ? "converted"
            : has_diverged(m, r) ? "diverged"
                                 : "finished");
    for (int i = 1; i < RESULTS; i++)
        fprintf(file, "%s\t%s\n", result_keys[i],
                number_text(values[i - 1], 10, n));
    if (*m->config.file) {
        l = dataset_levels(data, TEST);
        const double test[] = {l.trivial, l.unigram_loss, l.bigram_loss};
        for (int i = 0; i < TEST_LEVELS; i++)
            fprintf(file, "%s\t%s\n", test_levels[i],
                    number_text(test[i], 10, n));
    }
    for (int k = 0; k < o->count; k++)
        fprintf(file, "%s\t%s\n", o->names[k],
                number_text(o->values[(o->lines - 1) * o->count + k], 7, n));
    end_file(file, run, "result.tsv");
}

static void
write_timing(const char *run, const Finished *e, const Model *m)
{
    const Result *r = &e->result;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double tokens = (double)r->steps * m->config.batch * m->sizes.tokens;
    char seconds[32], speed[32];
    FILE *file = begin_file(run, "timing.tsv");
    fprintf(file,
            "key\tvalue\nseconds\t%s\ntokens_per_second\t%s\n"
            "peak_bytes\t%ld\nstep_bytes\t%zu\n",
            number_text(e->seconds, 4, seconds),
            number_text(tokens / e->seconds, 4, speed), usage.ru_maxrss * 1024L,
            r->tape_bytes);
    end_file(file, run, "timing.tsv");
}

void
matrices_write(const char *to, const char *folder, const Model *m)
{
    bool gradients = !strcmp(folder, "gradients");
    new_directory(to, folder);
    for (int i = 0; i < m->count; i++) {
        const Weight *w = &m->weights[i];
        char *name = weight_file(folder, w->name);
        npy_write(to, name, 'f', gradients ? w->gradient : w->value, w->rows,
                  w->cols, 0);
        free(name);
    }
}

void
run_write(const Draft *d, const char *name, const Model *m, const Finished *e,
          const Observer *o, const Dataset *data, bool weights)
{
    Path run = new_directory(d->path.text, name);
    write_config(run.text, &m->config);
    write_log(run.text, &e->result, o);
    write_timing(run.text, e, m);
    if (weights)
        matrices_write(run.text, "weights", m);
    symbols_write(run.text, data->corpus);
    write_result(run.text, m, e, o, data);
}

void
real_write(const char *directory, const Run *runs, int count)
{
    static const char name[] = "real.tsv";
    Draft *d = draft_begin(directory, name);
    for (const Run *r = runs; r < runs + count; r++) {
        char text[32];
        if (r->real < 0 || !access(within(r->path, name).text, F_OK))
            continue;
        Path run = new_directory(d->path.text, r->name);
        FILE *file = begin_file(run.text, name);
        fprintf(file, "key\tvalue\nreal\t%s\n",
                isnan(r->real) ? "NA" : number_text(r->real, 17, text));
        end_file(file, run.text, name);
        draft_publish(d, within(r->name, name).text, true);
    }
    draft_end(d);
}
