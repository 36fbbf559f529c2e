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

/* What qkv-double counts at a resolved config: how many parameters are stored,
   and how many are real; NaN if it does not answer, as in a browser, which runs
   no other programs. The answer is written `there` first. */
static void
ask_double(const Config *c, const char *there, double *stored, double *real)
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
    values_add(&line, NULL);
    run_program(line.text, NULL, NULL);
    values_free(&line);
    FILE *answer = fopen(there, "r");
    *stored = *real = NAN;
    if (!answer)
        return;
    if (fscanf(answer, "%*[^\n] %*[^\t] %lf %lf", stored, real) < 2)
        *real = NAN;
    fclose(answer);
}

/* That of a run before it which has the same attention, or what is measured; -1
   if nobody answers. */
static double
real_of_run(const Experiment *e, const Run *r, const char *there)
{
    double stored, real, attention = run_number(r, "attention_parameters");
    Config c = r->config;
    if (c.encoder || c.cross != CROSS_NONE) /* attentions of several kinds */
        return NAN;
    for (const Run *s = e->runs; s < r; s++)
        if (run_has(s, "real") &&
            run_number(s, "attention_parameters") == attention &&
            config_equal(&s->config, &c, OF_VARIANT | OF_SHAPE | OF_MODEL))
            return run_number(s, "real");
    if (c.embed == EMBED_ONEHOT) { /* as wide as there are tokens */
        Dataset data = dataset_open(&c);
        c.d_model = attention_in(&c, data.sizes).d_model;
        dataset_close(&data);
    }
    ask_double(&c, there, &stored, &real);
    return isnan(stored) ? -1 : stored == attention ? real : NAN;
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
        double real = real_of_run(e, r, within(d->path.text, "answer").text);
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
