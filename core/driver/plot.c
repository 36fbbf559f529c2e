/* plot.c - qkv plot: any figure again, from runs on disk. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "driver/cli/options.h"
#include "driver/figure/figure.h"
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

int
command_plot(int argc, char **argv)
{
    Options o = options_read(argc, argv, PLOT);
    bool over_steps = !strcmp(o.draw.x, "step");
    const char *const *paths = (const char *const *)o.rest;
    Experiment e = o.rest_count ? experiment_read(paths, o.rest_count)
                                : experiment_read(&o.out, 1);
    const Setting *x = setting_named(o.draw.x); /* maybe the runs' own */
    if (x && !setting_numeric(x) && strcmp(o.draw.x, "init"))
        usage("--x %s: not a number", o.draw.x);
    check_setting("--by", o.draw.by);
    if (o.draw.facet && strcmp(o.draw.facet, "quantity"))
        check_setting("--facet", o.draw.facet);
    if (x)
        check_varies(o.draw.x, &e);
    if (over_steps)
        check_trained(&e);
    figures_draw(&o.draw, &e);
    if (over_steps)
        bars_draw(&o.draw, &e);
    experiment_free(&e);
    options_free(&o);
    return 0;
}
