/* real_count.c - how many parameters are really there, by qkv-double. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/build_model.h"
#include "config/two_sequences.h"
#include "run/process.h"
#include "run/real_count.h"
#include "heart/fail.h"

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

double
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
    char *text = question(&c), row[256] = "";
    while (i < count && strcmp(known[i].question, text))
        i++;
    if (i == count) {
        known = grow(known, count++, &capacity, sizeof *known);
        known[i] = (struct Known){text, NAN, NAN};
        ask_double(text, row, sizeof row);
        sscanf(row, "%*[^\t]\t%lf\t%lf", &known[i].stored, &known[i].real);
    }
    return isnan(known[i].stored) ? -1
           : known[i].stored == run_number(r, "attention_parameters")
               ? known[i].real
               : NAN;
}
