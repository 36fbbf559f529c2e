/* plot.c - qkv plot: any figure again, from runs on disk. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "page/draw.h"
#include "study/figure.h"
#include "study/outcome.h"
#include "study/quantity.h"

/* Exits (2) where what is asked for cannot be drawn of these runs. */
static void
check_drawing(const Drawing *d, const Experiment *e)
{
    bool quantities = d->facet && !strcmp(d->facet, "quantity");
    bool facet = d->facet && !quantities, x = d->map || is_axis(d->x);
    char *list = format_text("%s,%s,%s", d->by, x ? d->x : d->by,
                             facet ? d->facet : d->by);
    Values names = values_cut(list);
    for (int i = 0; i < names.count; i++) {
        Values v = values_in(e, names.text[i]);
        if (!v.count)
            usage("%s: no run has a value of that name", names.text[i]);
        values_free(&v);
    }
    if (facet && (index_in(d->by, d->facet) >= 0 || !strcmp(d->facet, "seed")))
        usage("--facet %s: curves and points are means over it, or tell it; "
              "take another setting, or draw along it with --x %s",
              d->facet, d->facet);
    if (d->map && (strchr(d->by, ',') || !strcmp(d->x, d->by) || quantities))
        usage("--map: its colours are the means of one quantity, by one "
              "setting across, --x, and another one down, --by");
    values_free(&names);
    free(list);
}

int
command_plot(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    const char *const *paths = (const char *const *)o.rest;
    Experiment e = o.rest_count ? experiment_read(paths, o.rest_count)
                                : experiment_read(&o.out, 1);
    check_drawing(&o.draw, &e);
    if (o.request.where)
        keep_where(&e, o.request.where);
    if (o.again && !strcmp(o.draw.by, "variant"))
        o.draw.by = compared_by(&o.request, &e);
    if (o.again)
        draw_all(&o.draw, &e, &e);
    else
        figures_draw(&o.draw, &e);
    int status = !figures_drawn; /* why, they say */
    if (!o.again && !strcmp(o.draw.x, "step"))
        bars_draw(&o.draw, &e);
    experiment_free(&e);
    return status;
}
