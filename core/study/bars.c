/* bars.c - the figure of parameter counts. */
#include "base/words.h"
#include "page/draw.h"
#include "study/figure.h"

void
bars_draw(const Drawing *o, const Experiment *e)
{
    int groups;
    void *drawn = NULL;
    Group *g = groups_of(e, "variant", NULL, &groups);
    Figure f = figure_begin(o, "parameters", "Parameters",
                            "real (blue) of those stored (light), outside "
                            "attention (grey)");
    fprintf(f.data, "group\tvariant\tattention\trest\treal\n");
    for (int i = 0; i < groups; i++)
        for (int k = 0; k < g[i].series_count; k++) {
            const Series *s = &g[i].series[k];
            const Run *r = s->runs[0];
            double attention = run_number(r, "attention_parameters");
            double rest = run_number(r, "parameters") - attention;
            char *bar =
                format_text("%s\t%.0f\t%.0f\t%s", s->name, attention, rest,
                            number_text(run_number(r, "real"), 10));
            /* Groups whose settings change no count share one bar. */
            if (word_added(&drawn, format_text("%s %s", r->config.task, bar)))
                fprintf(f.data, "%s\t%s\n", g[i].name, bar);
        }
    figure_end(&f, "bars.gp", "");
}
