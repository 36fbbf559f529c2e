/* bars.c - the figure of parameter counts. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "heart/fail.h"
#include "page/draw.h"
#include "study/figure.h"

/* Does it change what a variant has? */
static bool
sizes(const Setting *s)
{
    return s->role & (OF_DATA | OF_SHAPE | OF_MODEL | OF_SECOND) &&
           !setting_worded(s);
}

/* "standard", or "standard.d-k4" where the runs of standard on its task differ
   in a setting that changes what it has. */
static char *
label_of(const Experiment *e, const Run *r)
{
    char *label = copy_text(run_value(r, "variant"));
    for (const Setting *s = settings; s < settings + setting_count; s++) {
        bool varies = false;
        for (int i = 0; i < e->count && sizes(s); i++) {
            const Config *a = &e->runs[i].config, *b = &r->config;
            varies |= !strcmp(a->task, b->task) &&
                      !strcmp(a->variant, b->variant) &&
                      !(setting_follows(s, a) && setting_follows(s, b)) &&
                      !setting_equal(s, a, b);
        }
        const char *value = varies ? run_value(r, s->name) : NULL;
        if (value)
            replace(&label, format_text("%s.%s%s", label, s->name, value));
    }
    return label;
}

void
bars_draw(const Drawing *o, const Experiment *e)
{
    Values tasks = {0}, rows = {0}, labels = {0};
    void *drawn = NULL;
    Figure f = figure_begin(o, "parameters");
    fprintf(f.data, "task\tvariant\tattention\trest\treal\n");
    for (int i = 0; i < e->count; i++) {
        const Run *r = &e->runs[i];
        char real[32] = "NA", *label = label_of(e, r);
        char *bar = format_text("%s\t%s", r->config.task, label);
        double attention = run_number(r, "attention_parameters");
        if (run_number(r, "real") >= 0)
            snprintf(real, sizeof real, "%.0f", run_number(r, "real"));
        if (word_added(&drawn, bar))
            fprintf(f.data, "%s\t%.0f\t%.0f\t%s\n", bar, attention,
                    run_number(r, "parameters") - attention, real);
        values_add(&labels, bar);
        values_add(&rows, label);
        values_add(&tasks, copy_text(r->config.task));
    }
    series_sort(&rows);
    series_sort(&tasks);
    figure_title(
        &f,
        "Parameters: real (blue), redundant (light), outside "
        "attention (grey)",
        " The first number is that of the parameters of attention that are "
        "really there; by the rest of those that are stored no more functions "
        "can be had. A single number is of all that are stored.");
    figure_words(&f, "panels", &tasks);
    figure_words(&f, "rows", &rows);
    values_free(&tasks);
    values_free(&rows);
    values_free(&labels);
    figure_end(&f, "bars");
}
