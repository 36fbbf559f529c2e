/* plot.c - qkv plot: any figure again, from runs on disk. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "driver/options.h"
#include "driver/commands.h"
#include "driver/compare.h"
#include "study/curves.h"
#include "study/draw.h"
#include "study/figure.h"
#include "study/outcome.h"
#include "study/quantity.h"
#include "heart/fail.h"

/* Exits (2) where one of "name,name" is no setting that runs can be told apart
   by, or none of the runs uses it. */
static void
check_settings(const char *option, const char *list, const Experiment *e)
{
    Values wanted = values_cut(list);
    for (int i = 0; i < wanted.count; i++) {
        if (!axis_named(wanted.text[i]))
            usage("%s %s: no setting of a run", option, wanted.text[i]);
        Values v = values_in(e, wanted.text[i]);
        if (!v.count)
            usage("%s %s: none of the runs uses it", option, wanted.text[i]);
        values_free(&v);
    }
    values_free(&wanted);
}

/* Leaves the runs that --show names: those with one of its values of the first
   setting of --by. */
static void
keep_shown(const Drawing *d, Experiment *e)
{
    int kept = 0;
    char *by = format_text("%.*s", (int)strcspn(d->by, ","), d->by);
    Values known = values_in(e, by);
    char *list = joined(&known, ", ");
    for (int i = 0; i < e->count; i++) {
        const char *value = run_asked(&e->runs[i], axis_named(by));
        if (value && index_in(d->show, value) >= 0)
            e->runs[kept++] = e->runs[i];
        else
            run_free(&e->runs[i]);
    }
    e->count = kept;
    if (!kept)
        usage("--show %s: none of the values that are drawn: %s", d->show,
              list);
    values_free(&known);
    free(list);
    free(by);
}

/* Exits (2) where what is asked for cannot be drawn of these runs. */
static void
check_drawing(const Drawing *d, const Experiment *e)
{
    bool quantities = d->facet && !strcmp(d->facet, "quantity");
    check_settings("--by", d->by, e);
    if (d->facet && !quantities)
        check_settings("--facet", d->facet, e);
    if (d->map || axis_named(d->x))
        check_settings("--x", d->x, e);
    if (d->map &&
        (strchr(d->by, ',') || series_along(d) || d->spread || quantities))
        usage("--map: its colours are the means of one quantity, by one "
              "setting across, --x, and another one down, --by");
}

int
command_plot(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    const char *const *paths = (const char *const *)o.rest;
    Experiment e = o.rest_count ? experiment_read(paths, o.rest_count)
                                : experiment_read(&o.out, 1);
    check_drawing(&o.draw, &e);
    if (o.draw.show)
        keep_shown(&o.draw, &e);
    if (o.again && !strcmp(o.draw.by, "variant"))
        o.draw.by = compared_by(&o.request, &e);
    if (o.again)
        draw_all(&o.draw, &e, &e);
    else
        figures_draw(&o.draw, &e);
    int status = !figures_drawn; /* why, they say themselves */
    if (!o.again && over_training(e.runs, o.draw.x, o.draw.y))
        bars_draw(&o.draw, &e);
    experiment_free(&e);
    request_free(&o.request);
    return status;
}
