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

RealOnes
real_ones(const Config *asked)
{
    static struct {
        Config asked;
        RealOnes found;
    } * known;
    static int count, capacity;
    Config c = config_start();
    config_copy(&c, asked, OF_VARIANT | OF_SHAPE);
    c.d_model = asked->d_model;
    c.layers = asked->layers;
    c.positions = asked->positions;
    config_resolve(&c, variant_uses(plugin_open(c.variant).variant));
    for (int i = 0; i < count; i++)
        if (config_equal(&known[i].asked, &c, OF_ANY))
            return known[i].found;
    RealOnes found = {NAN, NAN};
    char row[256] = "", *text = question(&c);
    ask_double(text, row, sizeof row);
    if (sscanf(row, "%*[^\t]\t%lf\t%lf", &found.stored, &found.real) < 1)
        found.stored = NAN;
    free(text);
    known = grow(known, count++, &capacity, sizeof *known);
    known[count - 1].asked = c;
    known[count - 1].found = found;
    return found;
}

double
real_of_run(const Run *r)
{
    Config c = r->config;
    if (c.encoder || c.cross != CROSS_NONE) /* attentions of several kinds */
        return NAN;
    if (c.embed == EMBED_ONEHOT) { /* as wide as there are tokens */
        Dataset data = dataset_open(&c);
        c.d_model = attention_in(&c, data.sizes).d_model;
        dataset_close(&data);
    }
    RealOnes found = real_ones(&c);
    return isnan(found.stored)                                     ? -1
           : found.stored == run_number(r, "attention_parameters") ? found.real
                                                                   : NAN;
}
