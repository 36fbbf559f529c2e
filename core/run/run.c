/* run.c - a run is a directory of plain files: its name, and how it is
   written. */
#include <locale.h>
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

/* A line of result.tsv or timing.tsv. */
typedef struct Line {
    const char *key;
    double value;
} Line;

static void
put_lines(FILE *file, const Line *lines, int count, int digits)
{
    char number[32];
    for (int i = 0; i < count; i++)
        fprintf(file, "%s\t%s\n", lines[i].key,
                number_text(lines[i].value, digits, number));
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
    /* The plugin is not called any more: whatever locale it has set, what is
       written has a point in 0.5. */
    uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    /* clang-format off */
    const Line lines[] = {
        {"steps", r->steps}, {"parameters", (double)m->parameters},
        {"attention_parameters", (double)attention_parameters(m)},
        {"flops", flops}, {"cache", cache}, {"solved_at", e->solved_at},
        {"loss", last->loss}, {"accuracy", last->accuracy},
        {"validation_loss", last->validation_loss},
        {"validation_accuracy", last->validation_accuracy},
        {"test_loss", r->test_loss}, {"test_accuracy", r->test_accuracy},
        {"chance", l.chance}, {"trivial", l.trivial},
        {"chance_loss", l.chance_loss}, {"unigram_loss", l.unigram_loss},
        {"bigram_loss", l.bigram_loss}};
    /* clang-format on */
    FILE *file = begin_file(run, "result.tsv");
    fprintf(file, "key\tvalue\nstatus\t%s\n",
            e->converted         ? "converted"
            : has_diverged(m, r) ? "diverged"
                                 : "finished");
    put_lines(file, lines, sizeof lines / sizeof *lines, 10);
    l = dataset_levels(data, TEST);
    const Line test[] = {{test_levels[0], l.trivial},
                         {test_levels[1], l.unigram_loss},
                         {test_levels[2], l.bigram_loss}};
    put_lines(file, test, *m->config.file ? TEST_LEVELS : 0, 10);
    for (int k = 0; k < o->count; k++)
        put_lines(
            file,
            &(Line){o->names[k], o->values[(o->lines - 1) * o->count + k]}, 1,
            7);
    end_file(file, run, "result.tsv");
}

static void
write_timing(const char *run, const Finished *e, const Model *m)
{
    const Result *r = &e->result;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double tokens = (double)r->steps * m->config.batch * m->sizes.tokens;
    const Line lines[] = {{"seconds", e->seconds},
                          {"tokens_per_second", tokens / e->seconds},
                          {"peak_bytes", (double)usage.ru_maxrss * 1024},
                          {"step_bytes", (double)r->tape_bytes}};
    FILE *file = begin_file(run, "timing.tsv");
    fprintf(file, "key\tvalue\n");
    put_lines(file, lines, 2, 4);
    put_lines(file, lines + 2, 2, 15);
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
    write_result(run.text, m, e, o, data);
    write_config(run.text, &m->config);
    write_log(run.text, &e->result, o);
    write_timing(run.text, e, m);
    if (weights)
        matrices_write(run.text, "weights", m);
    symbols_write(run.text, data->corpus);
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
