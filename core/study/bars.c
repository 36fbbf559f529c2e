/* bars.c - the figure of parameter counts. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "study/draw.h"
#include "study/figure.h"
#include "heart/fail.h"

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
    char value[VALUE_SIZE];
    run_setting(r, "variant", value);
    char *label = copy_text(value);
    for (const Setting *s = settings; s < settings + setting_count; s++) {
        bool varies = false;
        for (int i = 0; i < e->count && sizes(s); i++) {
            const Config *a = &e->runs[i].config, *b = &r->config;
            varies |= !strcmp(a->task, b->task) &&
                      !strcmp(a->variant, b->variant) &&
                      !(setting_follows(s, a) && setting_follows(s, b)) &&
                      !setting_equal(s, a, b);
        }
        run_setting(r, s->name, value);
        if (varies)
            replace(&label, format_text("%s.%s%s", label, s->name, value));
    }
    return label;
}

/* The bar of these parameters of a run. */
static void
put_bar(FILE *data, const Run *r, const char *label, int row)
{
    double attention = run_number(r, "attention_parameters");
    fprintf(data, "%s\t%s\t%.0f\t%.0f\t%d\t", r->config.task, label, attention,
            run_number(r, "parameters") - attention, row);
    fprintf(data, r->real >= 0 ? "%.0f\n" : "NA\n", r->real);
}

void
bars_draw(const Drawing *o, const Experiment *e)
{
    Values tasks = {0}, rows = {0}, labels = {0};
    void *known = NULL;
    Figure f = figure_begin(o, "parameters");
    fprintf(f.data, "task\tvariant\tattention\trest\trow\treal\n");
    for (int i = 0; i < e->count; i++) {
        values_add(&labels, label_of(e, &e->runs[i]));
        values_add(&rows, copy_text(labels.text[i]));
        values_add(&tasks, copy_text(e->runs[i].config.task));
    }
    series_sort(&rows);
    series_sort(&tasks);
    for (int k = 0; k < rows.count; k++)
        for (int i = 0; i < e->count; i++) {
            char *bar =
                format_text("%s %s", e->runs[i].config.task, labels.text[i]);
            if (!strcmp(labels.text[i], rows.text[k]) &&
                word_added(&known, bar))
                put_bar(f.data, &e->runs[i], rows.text[k], k + 1);
            else
                free(bar);
        }
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
