/* plot.c - qkv plot: draws figures of runs on disk. */
#include <string.h>

#include "driver/compare.h"
#include "study/where.h"
#include "study/figure.h"

/* Exits (2) unless some run has a value of `name`, a setting or a result, which
   the user gave to `option`, such as "--x". */
static void
check_axis(const Experiment *e, const char *option, const char *name)
{
    if (!values_in(e, name).count)
        usage("%s %s: no run has a setting or result of that name;%s `qkv "
              "table` prints all names",
              option, name, name_suggestion(e, name));
}

/* Exits (2) unless `name` can be an x axis: a setting, or a result that is a
   number. */
static void
check_x(const Experiment *e, const char *name)
{
    if (strchr(name, ','))
        usage("--x %s: an axis has one setting or result; --by takes several",
              name);
    check_axis(e, "--x", name);
    if (!is_setting_or_run(name) && !has_numbers(name))
        usage("--x %s: this result is a word; name one that is a number, or a "
              "setting",
              name);
}

int
command_plot(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    Drawing *d = &o.draw;
    if (!o.word_count) { /* the runs are in the directory of --out */
        o.words = &o.out;
        o.word_count = 1;
    }
    Experiment e = experiment_read(o.words, o.word_count);
    check_axis(&e, "--by", d->by);
    if (d->x)
        check_x(&e, d->x);
    if (o.request.where)
        keep_where(&e, o.request.where);
    if (d->x || d->y)
        figures_draw(d, &o.request, &e);
    else { /* the figures that compare draws */
        /* --by is "variant" if it was not given; the runs' record may name
           another setting. */
        if (!strcmp(d->by, "variant"))
            d->by = compared_by(&o.request, &e);
        draw_all(d, &o.request, &e, &e);
    }
    return figures_drawn == 0; /* exit status 1: a note said why */
}
