/* plot.c - qkv plot: any figure, from runs on disk. */
#include <string.h>

#include "base/words.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "driver/options.h"
#include "heart/fail.h"
#include "study/figure.h"
#include "study/outcome.h"

/* Exits (2) unless runs have values of all names in a list. */
static void
check_axes(const Experiment *e, const char *list)
{
    Values names = values_cut(list);
    for (int i = 0; i < names.count; i++) {
        Values v = values_in(e, names.text[i]);
        if (!v.count)
            usage("%s: no run has a value of that name", names.text[i]);
    }
}

int
command_plot(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Drawing *d = &o.draw;
    const char *const *paths = (const char *const *)o.rest;
    Experiment e = o.rest_count ? experiment_read(paths, o.rest_count)
                                : experiment_read(&o.out, 1);
    if (d->map && !d->x)
        usage("--map: needs --x, a setting of which each value is a column");
    check_axes(&e, d->by);
    if (d->x && is_axis(d->x))
        check_axes(&e, d->x);
    if (o.request.where)
        keep_where(&e, o.request.where);
    if (d->x || d->y)
        figures_draw(d, &e);
    else {
        if (!strcmp(d->by, "variant"))
            d->by = compared_by(&o.request, &e);
        draw_all(d, &e, &e);
    }
    return !figures_drawn; /* why, they say */
}
