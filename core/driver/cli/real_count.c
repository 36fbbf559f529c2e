/* real_count.c - how many parameters are really there, by qkv-double. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/formula.h"
#include "algebra/real_parameters.h"
#include "base/words.h"
#include "driver/cli/process.h"
#include "driver/cli/real_count.h"
#include "heart/fail.h"
#include "config/build.h"
#include "config/second.h"

static char *
question(const Config *c)
{
    char *text = format_text("variant=%s\n", plugin_believed(c->variant));
    for (int i = 0; i < setting_count; i++) {
        const Setting *s = &settings[i];
        char value[VALUE_SIZE];
        bool own = setting_own(s);
        if (!(s->role & OF_SHAPE) && !own && strcmp(s->name, "d-model") &&
            strcmp(s->name, "positions") && strcmp(s->name, "layers"))
            continue;
        setting_print(s, c, value);
        if (!own || !isnan(c->own[s - settings - settings_built_in]))
            replace(&text, format_text("%s%s=%s\n", text, s->name, value));
    }
    replace(&text, format_text("%s\n", text));
    return text;
}

static RealOnes
ask(const char *text)
{
    RealOnes found;
    char line[80];
    if (ask_double(text, line, sizeof line) &&
        sscanf(line, "%lf %lf", &found.stored, &found.real) == 2)
        return found;
    return (RealOnes){NAN, NAN};
}

RealOnes
real_ones(const Config *c)
{
    static struct {
        char *question;
        RealOnes found;
    } * known;
    static int count, capacity;
    char *text = question(c);
    for (int i = 0; i < count; i++)
        if (!strcmp(known[i].question, text)) {
            free(text);
            return known[i].found;
        }
    known = grow(known, count++, &capacity, sizeof *known);
    known[count - 1].question = text;
    known[count - 1].found = ask(text);
    return known[count - 1].found;
}

/* Adds what is in `layers` places of a kind. */
static void
add_places(RealOnes *sum, Config c, const char *variant, int layers)
{
    if (!layers)
        return;
    c.variant = *variant ? variant : c.variant;
    c.layers = layers;
    RealOnes found = real_ones(&c);
    sum->stored += found.stored;
    sum->real += found.real;
}

double
real_of_run(const Run *r)
{
    Config c = r->config;
    RealOnes sum = {0, 0};
    if (c.embed == EMBED_ONEHOT) { /* as wide as there are tokens */
        Dataset data = dataset_open(&c);
        c.d_model = attention_in(&c, data.sizes).d_model;
        dataset_close(&data);
    }
    Config crossing = c; /* between two sequences no distance is known */
    crossing.positions = POSITIONS_NONE;
    add_places(&sum, c, "", c.cross == CROSS_ONLY ? 0 : c.layers);
    add_places(&sum, crossing, c.cross_variant,
               c.cross == CROSS_NONE ? 0 : c.layers);
    add_places(&sum, c, c.encoder_variant, c.encoder);
    return isnan(sum.stored)                                     ? -1
           : sum.stored == run_number(r, "attention_parameters") ? sum.real
                                                                 : NAN;
}

static void
answer(Config c)
{
    const Variant *v = plugin_open(c.variant).variant;
    config_settle(&c, variant_uses(v));
    Attention a = attention_of(&c);
    a.layers = c.layers;
    Weights w = weights_declared(v, &a);
    double stored = 0, found = NAN;
    for (int i = 0; i < w.count; i++)
        stored += (double)w.list[i].rows * w.list[i].cols;
    double measured =
        stored > MOST_MEASURED ? stored : stored * real_together(v, a, &w, 0);
    if (measured > MOST_ALIKE)
        found = formula_value(formula_fit(v, a), &a, stored * c.layers);
    if (isnan(found) && measured <= MOST_MEASURED) {
        RealCount r = real_count(v, a, &w, 0, false);
        found = r.real < 0 ? NAN : r.real;
        real_free(&r);
    }
    weights_free(&w);
    printf("%.0f %.0f\n", stored * c.layers, found);
    fflush(stdout);
}

void
answer_questions(void)
{
    char line[VALUE_SIZE + 80];
    Config c = config_start();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *value = strchr(line, '=');
        if (!value) {
            answer(c);
            c = config_start();
            continue;
        }
        *value++ = 0;
        Own own;
        bool variant = !strcmp(line, "variant");
        if (variant) /* who asks has been given its path */
            plugin_given(value);
        const Setting *s = setting_named(line);
        const char *wrong = s ? setting_set(s, &c, value) : "no setting";
        if (wrong)
            usage("count --real=-: %s %s: %s", line, value, wrong);
        if (!variant)
            continue;
        const char *at = variant_uses(plugin_open(c.variant).variant);
        while (own_next(&at, &own))
            setting_declare(own.name);
    }
}
