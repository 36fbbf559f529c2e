/* plot.c - qkv plot: any figure again, from runs on disk. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/words.h"
#include "run/run.h"
#include "driver/cli/options.h"
#include "driver/figure/figure.h"
#include "driver/commands.h"
#include "driver/compare.h"

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
check_varies(const char *x, const Run *runs, int count)
{
    char first[VALUE_SIZE] = "", other[VALUE_SIZE];
    for (int i = 0; i < count; i++) {
        if (setting_unused(setting_named(x), &runs[i].config))
            continue;
        run_setting(&runs[i], x, other);
        if (*first && strcmp(first, other))
            return;
        strcpy(first, other);
    }
    if (!*first)
        usage("--x %s: none of the runs uses it", x);
    usage("--x %s: it is %s in all runs, so there is nothing to draw along; "
          "`qkv compare --%s A,B,...` varies it",
          x, first, x);
}

/* The trained runs of every experiment or run that was named. */
static Run *
gather(const Options *o, int *count)
{
    int number = o->rest_count ? o->rest_count : 1, room = *count = 0;
    int skipped = 0;
    Run *all = NULL;
    for (int i = 0; i < number; i++) {
        int found;
        Run *runs =
            trained_runs(o->rest_count ? o->rest[i] : o->out, &found, &skipped);
        for (int k = 0; k < found; k++) {
            all = grow(all, *count, &room, sizeof *all);
            all[(*count)++] = runs[k];
        }
        free(runs);
    }
    if (*count == 0 && skipped)
        fail("%s: only runs that `qkv equiv` converted, and they have no curve",
             o->rest_count ? o->rest[0] : o->out);
    if (*count == 0)
        fail("%s: no finished run there; `qkv compare --out %s` makes some",
             o->rest_count ? o->rest[0] : o->out, o->out);
    return all;
}

int
command_plot(int argc, char **argv)
{
    Options o = options_read(argc, argv, PLOT);
    int count;
    bool over_steps = !strcmp(o.x, "step");
    const Setting *x = setting_named(o.x);
    if (x && !setting_numeric(x) && strcmp(o.x, "init"))
        usage("--x %s: not a number", o.x);
    check_setting("--by", o.by);
    if (o.facet && strcmp(o.facet, "quantity"))
        check_setting("--facet", o.facet);
    Run *runs = gather(&o, &count);
    if (x)
        check_varies(o.x, runs, count);
    figures_draw(&o, runs, count);
    if (over_steps)
        bars_draw(&o, runs, count);
    free_runs(runs, count);
    options_free(&o);
    return 0;
}
