/* bars.c - the figure of parameter counts. */
#include <stdlib.h>

#include "base/words.h"
#include "heart/fail.h"
#include "page/draw.h"
#include "study/figure.h"

/* "standard", or "standard.d-k4" where its group was asked for another value
   than others of a setting that changes what it has. */
static char *
label_of(const Group *g, const Series *s)
{
    char *label = copy_text(s->name);
    for (const Axis *a = g->axes; a < g->axes + g->axis_count; a++) {
        const Setting *axis = setting_named(a->name);
        int sizes = OF_DATA | OF_SHAPE | OF_MODEL | OF_SECOND;
        bool size = axis && axis->role & sizes && !(axis->kind & WORDED);
        if (size && run_value(s->runs[0], a->name))
            replace(&label, format_text("%s.%s%s", label, a->name, a->value));
    }
    return label;
}

void
bars_draw(const Drawing *o, const Experiment *e)
{
    int groups;
    void *drawn = NULL;
    Group *g = groups_of(e, "variant", NULL, &groups);
    Figure f = figure_begin(o, "parameters", "Parameters",
                            "real (blue) of those stored (light), outside "
                            "attention (grey)");
    fprintf(f.data, "task\tvariant\tattention\trest\treal\n");
    for (int i = 0; i < groups; i++)
        for (int k = 0; k < g[i].series_count; k++) {
            const Run *r = g[i].series[k].runs[0];
            char text[32], *label = label_of(&g[i], &g[i].series[k]);
            double attention = run_number(r, "attention_parameters");
            char *bar = format_text("%s\t%s", r->config.task, label);
            if (word_added(&drawn, bar))
                fprintf(f.data, "%s\t%.0f\t%.0f\t%s\n", bar, attention,
                        run_number(r, "parameters") - attention,
                        number_text(run_number(r, "real"), 10, text));
            else
                free(bar);
            free(label);
        }
    figure_end(&f, "bars.gp", "");
}
