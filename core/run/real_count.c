/* real_count.c - how many parameters are really there, by qkv-double. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "config/build_model.h"
#include "config/two_sequences.h"
#include "heart/fail.h"
#include "run/process.h"
#include "run/real_count.h"

/* What else than the variant and its shape can matter. */
static const char around[] = "d-model layers positions";

/* The command that counts at a resolved config, and writes a table there. */
static Values
question(const Config *c, const char *there)
{
    Path program = within(executable_directory(), "qkv-double");
    const char *const words[] = {"sh",
                                 "-c",
                                 "exec \"$@\" >\"$0\" 2>/dev/null",
                                 there,
                                 program.text,
                                 "count",
                                 "--real",
                                 "--tsv",
                                 "-v",
                                 plugin_believed(c->variant)};
    Values line = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        values_add(&line, copy_text(words[i]));
    for (const Setting *s = settings; s < settings + setting_count; s++) {
        char value[VALUE_SIZE];
        if (s->role == OF_SHAPE ? setting_unused(s, c)
                                : index_in(around, s->name) < 0)
            continue;
        setting_print(s, c, value);
        values_add(&line, format_text("--%s=%s", s->name, value));
    }
    return line;
}

/* What qkv-double answers: how many are stored, and how many are real. NaN if
   it does not, as in a browser, which runs no other programs. */
static void
ask_double(Values line, const char *there, double *stored, double *real)
{
    char row[256] = "";
    values_add(&line, NULL);
    run_program(line.text, NULL, NULL);
    FILE *answer = fopen(there, "r");
    while (answer && fgets(row, sizeof row, answer))
        ; /* the last line tells */
    if (answer)
        fclose(answer);
    *stored = *real = NAN;
    sscanf(row, "%*[^\t]\t%lf\t%lf", stored, real);
}

/* -1 where nobody answers. */
static double
real_of_run(const Run *r, const char *there)
{
    static struct Known {
        char *question;
        double stored, real;
    } * known;
    static int count, capacity;
    int i = 0;
    Config c = r->config;
    if (c.encoder || c.cross != CROSS_NONE) /* attentions of several kinds */
        return NAN;
    if (c.embed == EMBED_ONEHOT) { /* as wide as there are tokens */
        Dataset data = dataset_open(&c);
        c.d_model = attention_in(&c, data.sizes).d_model;
        dataset_close(&data);
    }
    Values line = question(&c, there);
    char *text = joined(&line, " ");
    while (i < count && strcmp(known[i].question, text))
        i++;
    if (i == count) {
        known = grow(known, count++, &capacity, sizeof *known);
        known[i].question = text;
        ask_double(line, there, &known[i].stored, &known[i].real);
    }
    return isnan(known[i].stored) ? -1
           : known[i].stored == run_number(r, "attention_parameters")
               ? known[i].real
               : NAN;
}

void
count_real(const Work *w, Experiment *e)
{
    Draft *d = NULL;
    for (Run *r = e->runs; r < e->runs + e->count; r++) {
        if (run_has(r, "real"))
            continue;
        if (!d && !w->quiet && isatty(STDERR_FILENO))
            note("counting real parameters ...");
        d = d ? d : draft_begin(w->out, "real.tsv");
        double real = real_of_run(r, within(d->path.text, "answer").text);
        if (real < 0)
            continue;
        Path run = new_directory(d->path.text, r->name);
        FILE *file = begin_pairs(run.text, "real.tsv");
        put_pair(file, "real", real, 17);
        end_file(file, run.text, "real.tsv");
        draft_publish(d, within(r->name, "real.tsv").text, true);
        table_add(&r->result, within(r->path, "real.tsv").text);
    }
    if (d)
        draft_end(d);
}
