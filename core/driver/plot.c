/* plot.c - qkv plot: any figure again, from runs on disk. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "driver/cli/options.h"
#include "driver/figure/figure.h"
#include "driver/results/quantity.h"
#include "driver/commands.h"

/* Exits (2) where `name` is no setting that runs can be told apart by. */
static void
check_setting(const char *option, const char *name)
{
    const char **names = allocate((size_t)setting_count, sizeof *names);
    for (int i = 0; i < setting_count; i++)
        names[i] = settings[i].name;
    if (!setting_named(name))
        usage("%s %s: no setting of a run%s", option, name,
              did_you_mean(name, names, setting_count));
    free(names);
}

/* Exits (2) where x is the same in all runs: a figure of one point. */
static void
check_varies(const char *x, const Experiment *e)
{
    Values v = values_in(e, x);
    if (!v.count)
        usage("--x %s: none of the runs uses it", x);
    if (v.count == 1)
        usage("--x %s: it is %s in all runs, so there is nothing to draw "
              "along; `qkv compare --%s A,B,...` varies it",
              x, v.text[0], x);
    values_free(&v);
}

/* Exits where curves would be points: no run was trained. */
static void
check_trained(const Experiment *e)
{
    for (int i = 0; i < e->count; i++)
        if (e->runs[i].config.steps > 0)
            return;
    fail("nothing to draw over steps: the runs took none (--steps 0); give a "
         "setting that varies: --x SETTING");
}

/* Exits (2) where a mean over so many steps is one value. */
static void
check_smooth(const Drawing *d, const Experiment *e, bool training)
{
    int least = 0;
    for (int i = 0; i < e->count; i++)
        if (2 * e->runs[i].config.log_every > least)
            least = 2 * e->runs[i].config.log_every;
    if (!training)
        usage("--smooth: only curves over training are smoothed, not those "
              "along --x %s",
              d->x);
    if (d->smooth < least)
        usage("--smooth %d: a mean over so many steps is of one value, since "
              "every %dth was logged; give %d or more",
              d->smooth, least / 2, least);
}

int
command_plot(int argc, char **argv)
{
    Options o = options_read(argc, argv, PLOT);
    const char *const *paths = (const char *const *)o.rest;
    Experiment e = o.rest_count ? experiment_read(paths, o.rest_count)
                                : experiment_read(&o.out, 1);
    bool training = over_training(e.runs, o.draw.x, o.draw.y);
    const Setting *x = setting_named(o.draw.x); /* maybe the runs' own */
    if (x && !setting_numeric(x) && strcmp(o.draw.x, "init"))
        usage("--x %s: not a number", o.draw.x);
    check_setting("--by", o.draw.by);
    if (o.draw.facet && strcmp(o.draw.facet, "quantity"))
        check_setting("--facet", o.draw.facet);
    if (x)
        check_varies(o.draw.x, &e);
    if (training)
        check_trained(&e);
    if (o.draw.smooth)
        check_smooth(&o.draw, &e, training);
    figures_draw(&o.draw, &e);
    if (training)
        bars_draw(&o.draw, &e);
    experiment_free(&e);
    options_free(&o);
    return 0;
}
