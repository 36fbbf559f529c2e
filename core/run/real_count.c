/* real_count.c - how many parameters are really there, by qkv-double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "config/build_model.h"
#include "config/two_sequences.h"
#include "heart/fail.h"
#include "run/real_count.h"

/* What else than the variant and its shape can matter. */
static const char around[] = "d-model layers positions";

/* How many parameters are real at a resolved config whose attention has so
   many: as qkv-double counts them. NaN if it cannot tell, or counts other ones;
   -1 if it does not answer, as in a browser, which runs no other programs. */
static double
ask_double(const Config *c, double attention)
{
    char *program = quoted(within(executable_directory(), "qkv-double").text);
    char *variant = quoted(plugin_believed(c->variant)), value[VALUE_SIZE];
    char *line = format_text("2>/dev/null %s count --real --tsv -v %s", program,
                             variant);
    double stored = NAN, real = NAN;
    for (const Setting *s = settings; s < settings + setting_count; s++) {
        if (s->role == OF_SHAPE ? setting_unused(s, c)
                                : index_in(around, s->name) < 0)
            continue;
        setting_print(s, c, value);
        replace(&line, format_text("%s --%s=%s", line, s->name, value));
    }
    FILE *answer = popen(line, "r");
    if (answer && fscanf(answer, "%*[^\n] %*[^\t] %lf %lf", &stored, &real) < 2)
        real = NAN;
    if (answer)
        pclose(answer);
    free(program);
    free(variant);
    free(line);
    return isnan(stored) ? -1 : stored == attention ? real : NAN;
}

/* That of a run before it which has the same attention, or what is measured. */
static double
real_of_run(const Work *w, const Experiment *e, const Run *r)
{
    double attention = run_number(r, "attention_parameters");
    Config c = r->config;
    if (c.encoder || c.cross != CROSS_NONE || c.embed == EMBED_ONEHOT)
        return NAN; /* attentions of several kinds, or as wide as tokens are
                       many */
    for (const Run *s = e->runs; s < r; s++)
        if (run_has(s, "real") &&
            run_number(s, "attention_parameters") == attention &&
            config_equal(&s->config, &c, OF_VARIANT | OF_SHAPE | OF_MODEL))
            return run_number(s, "real");
    if (!w->quiet && isatty(STDERR_FILENO))
        note("counting the real parameters of %s ...", c.variant);
    return ask_double(&c, attention);
}

void
count_real(const Work *w, Experiment *e)
{
    for (Run *r = e->runs; r < e->runs + e->count; r++) {
        if (run_has(r, "real"))
            continue;
        double real = real_of_run(w, e, r);
        if (real < 0)
            continue;
        Draft *d = draft_begin(r->path, "real.tsv");
        FILE *file = begin_pairs(d->path.text, "real.tsv");
        put_pair(file, "real", real, 17);
        end_file(file, d->path.text, "real.tsv");
        draft_end(d, true);
        table_add(&r->result, within(r->path, "real.tsv").text);
    }
}
