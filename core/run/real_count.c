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
#include "run/real_count.h"

/* What else than the variant and its shape can matter. */
static const char around[] = "d-model layers positions";

/* The words that follow `qkv-double` for the variant of a resolved config. */
static char *
question(const Config *c)
{
    char *variant = quoted(plugin_believed(c->variant));
    char *text = format_text("count --real --tsv -v %s", variant);
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = &settings[i];
        char value[VALUE_SIZE];
        if (s->role == OF_SHAPE ? setting_unused(s, c)
                                : index_in(around, s->name) < 0)
            continue;
        setting_print(s, c, value);
        replace(&text, format_text("%s --%s=%s", text, s->name, value));
    }
    free(variant);
    return text;
}

/* What qkv-double answers: how many are stored, and how many are real; NaN
   where it does not, as in a browser, which runs no other programs. */
static void
ask_double(const char *words, double *stored, double *real)
{
    Path path = within(executable_directory(), "qkv-double");
    char *program = quoted(path.text), row[256] = "";
    char *line = format_text("QKV=1 exec %s %s 2>/dev/null", program, words);
    fflush(NULL);
    FILE *answer = popen(line, "r");
    while (answer && fgets(row, sizeof row, answer))
        ; /* the last line tells */
    if (answer)
        pclose(answer);
    *stored = *real = NAN;
    sscanf(row, "%*[^\t]\t%lf\t%lf", stored, real);
    free(line);
    free(program);
}

/* -1 where nobody answers. */
static double
real_of_run(const Run *r)
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
    char *text = question(&c);
    while (i < count && strcmp(known[i].question, text))
        i++;
    if (i == count) {
        known = grow(known, count++, &capacity, sizeof *known);
        known[i].question = text;
        ask_double(text, &known[i].stored, &known[i].real);
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
        if (!(r->real < 0))
            continue;
        if (!d && !w->quiet && isatty(STDERR_FILENO))
            note("counting real parameters ...");
        d = d ? d : draft_begin(w->out, "real.tsv");
        r->real = real_of_run(r);
        if (r->real < 0)
            continue;
        Path run = new_directory(d->path.text, r->name);
        FILE *file = begin_pairs(run.text, "real.tsv");
        put_pair(file, "real", r->real, 17);
        end_file(file, run.text, "real.tsv");
        draft_publish(d, within(r->name, "real.tsv").text, true);
    }
    if (d)
        draft_end(d);
}
