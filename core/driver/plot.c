/* plot.c - qkv plot: draws figures of runs on disk. */
#include <string.h>

#include "driver/compare.h"
#include "study/where.h"
#include "study/figure.h"
#include "study/outcome.h"

/* Exits (2) unless some run has a value of the name that was given to `option`,
   such as "--x". */
static void
check_axis(const Experiment *e, const char *option, const char *name)
{
    if (!values_in(e, name).count)
        usage("%s %s: no run has a value of that name;%s `qkv table` prints "
              "all names",
              option, name, name_suggestion(e, name));
}

int
command_plot(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Drawing *d = &o.draw;
    const char *const *paths = (const char *const *)o.words;
    const int one_path = 1; /* without words, the directory of --out */
    Experiment e = o.word_count ? experiment_read(paths, o.word_count)
                                : experiment_read(&o.out, one_path);
    check_axis(&e, "--by", d->by);
    if (d->x)
        check_axis(&e, "--x", d->x);
    if (o.request.where)
        keep_where(&e, o.request.where);
    if (d->x || d->y)
        figures_draw(d, &o.request, &e);
    else {                             /* the same figures as compare */
        if (!strcmp(d->by, "variant")) /* the default of --by */
            d->by = compared_by(&o.request, &e);
        draw_all(d, &o.request, &e, &e);
    }
    bool failed = figures_drawn == 0; /* a note said why */
    return failed;
}
