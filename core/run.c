/* run.c - a run is a directory of plain files: its name, and how it is
   written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "npy.h"
#include "plugin.h"
#include "run.h"
#include "words.h"

char *
run_name(const Config *c, const Config *ordinary)
{
    char variant[NAME_SIZE], digest[9], value[VALUE_SIZE];
    plugin_name(c->variant, variant);
    config_digest(c, digest);
    char *name = format_text("%s.%s", c->task, variant);
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = &settings[i];
        bool plugin =
            setting_plugin(s) && s->offset != offsetof(Config, variant);
        if (!s->help || (s->kind == WORD && !plugin) ||
            !strcmp(s->name, "seed"))
            continue;
        if (setting_equal(s, c, ordinary) || strlen(name) > 150)
            continue;
        setting_print(s, c, value);
        if (plugin && *value)
            plugin_name(interned(value), value);
        char *longer = format_text("%s.%s%s", name, s->name, value);
        free(name);
        name = longer;
    }
    const char *end = c->from + strlen(c->from);
    char *whole =
        format_text("%s%s%s.seed%d.%s", name, *c->from ? ".from" : "",
                    end - c->from > 8 ? end - 8 : c->from, c->seed, digest);
    free(name);
    return whole;
}

/* Ends with the reason in errno, and with nothing half-written. */
static _Noreturn void
give_up(const char *partial, const char *path)
{
    int error = errno;
    discard(partial);
    fail("%s: cannot be written: %s; nothing of the run was kept", path,
         strerror(error));
}

/* A table of a run to be written; end_table says whether it could be. */
static FILE *
begin_table(const char *partial, const char *name)
{
    Path path = within(partial, name);
    FILE *file = fopen(path.text, "w");
    if (!file)
        give_up(partial, path.text);
    return file;
}

static void
end_table(FILE *file, const char *partial, const char *name)
{
    bool failed = ferror(file);
    if (fclose(file) || failed)
        give_up(partial, within(partial, name).text);
}

static void
write_config(const char *partial, const Config *c)
{
    char value[VALUE_SIZE];
    FILE *file = begin_table(partial, "config.tsv");
    fprintf(file, "key\tvalue\nformat\t%d\n", RUN_FORMAT);
    for (int i = 0; i < setting_count; i++) {
        setting_print(&settings[i], c, value);
        fprintf(file, "%s\t%s\n", settings[i].name, value);
    }
    end_table(file, partial, "config.tsv");
}

static void
write_log(const char *partial, const Result *r)
{
    char n[4][32];
    FILE *file = begin_table(partial, "log.tsv");
    fprintf(file, "step\tloss\taccuracy\tvalidation_loss\tvalidation_accuracy");
    for (int k = 0; k < r->columns; k++)
        fprintf(file, "\t%s", r->names[k]);
    fprintf(file, "\n");
    for (int i = 0; i < r->count; i++) {
        const LogRow *row = &r->rows[i];
        fprintf(file, "%d\t%s\t%s\t%s\t%s", row->step,
                number_text(row->loss, 7, n[0]),
                number_text(row->accuracy, 7, n[1]),
                number_text(row->validation_loss, 7, n[2]),
                number_text(row->validation_accuracy, 7, n[3]));
        for (int k = 0; k < r->columns; k++)
            fprintf(file, "\t%s",
                    number_text(r->observed[i * r->columns + k], 7, n[0]));
        fprintf(file, "\n");
    }
    end_table(file, partial, "log.tsv");
}

static void
write_result(const char *partial, const Model *m, const Result *r,
             const Levels *l)
{
    const LogRow *last = &r->rows[r->count - 1];
    double flops, cache;
    model_cost(m, &flops, &cache);
    const struct {
        const char *key;
        double value;
    } lines[] = {
        {"steps", r->steps},
        {"parameters", (double)m->parameters},
        {"attention_parameters", (double)m->attention_parameters},
        {"flops", flops},
        {"cache", cache},
        {"solved_at", r->solved_at},
        {"loss", last->loss},
        {"accuracy", last->accuracy},
        {"validation_loss", last->validation_loss},
        {"validation_accuracy", last->validation_accuracy},
        {"test_loss", r->test_loss},
        {"test_accuracy", r->test_accuracy},
        {"chance", l->chance},
        {"cheat", l->cheat},
        {"chance_loss", l->chance_loss},
        {"unigram_loss", l->unigram_loss},
        {"bigram_loss", l->bigram_loss},
    };
    char n[32];
    FILE *file = begin_table(partial, "result.tsv");
    fprintf(file, "key\tvalue\nstatus\t%s\n",
            r->diverged ? "diverged" : "finished");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        fprintf(file, "%s\t%s\n", lines[i].key,
                number_text(lines[i].value, 10, n));
    for (int k = 0; k < r->columns; k++)
        fprintf(
            file, "%s\t%s\n", r->names[k],
            number_text(r->observed[(r->count - 1) * r->columns + k], 7, n));
    end_table(file, partial, "result.tsv");
}

static void
write_timing(const char *partial, const Result *r, const Model *m)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double tokens = (double)r->steps * m->config.batch * m->sizes.tokens;
    char seconds[32], speed[32];
    FILE *file = begin_table(partial, "timing.tsv");
    fprintf(file,
            "key\tvalue\nseconds\t%s\ntokens_per_second\t%s\n"
            "peak_bytes\t%ld\nstep_bytes\t%zu\n",
            number_text(r->seconds, 4, seconds),
            number_text(tokens / r->seconds, 4, speed), usage.ru_maxrss * 1024L,
            r->tape_bytes);
    end_table(file, partial, "timing.tsv");
}

static void
write_weights(const char *partial, const Model *m)
{
    Path directory = within(partial, "weights");
    if (mkdir(directory.text, 0777))
        give_up(partial, directory.text);
    for (int i = 0; i < m->count; i++) {
        const Weight *w = &m->weights[i];
        char *name = weight_file(w->name);
        Path path = within(partial, name);
        if (!npy_write(path.text, w->value, w->rows, w->cols))
            give_up(partial, path.text);
        free(name);
    }
}

void
run_write(const char *directory, const char *name, const Model *m,
          const Result *r, const Levels *l, bool weights, bool replace)
{
    char *partial =
        copy_text(run_partial(directory, name, (long)getpid()).text);
    discard(partial); /* of a process that had this number before */
    int lock = run_begin(partial);
    write_config(partial, &m->config);
    write_log(partial, r);
    write_timing(partial, r, m);
    if (weights)
        write_weights(partial, m);
    write_result(partial, m, r, l);
    if (replace || !run_exists(directory, name))
        run_remove(directory, name);
    if (rename(partial, within(directory, name).text)) {
        if (errno != EEXIST && errno != ENOTEMPTY)
            give_up(partial, within(directory, name).text);
        discard(partial); /* somebody else finished the same run first */
    }
    close(lock);
    free(partial);
}
