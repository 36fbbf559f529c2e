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
#include "study/square.h"
#include "study/outcome.h"
#include "study/quantity.h"
#include "heart/fail.h"

/* Exits (2) where one of "name,name" is no setting that runs can be told apart
   by, or none of the runs uses it. */
static void
check_settings(const char *option, const char *list, const Experiment *e)
{
    Values wanted = values_cut(list);
    const char **names = allocate((size_t)setting_count, sizeof *names);
    for (int i = 0; i < setting_count; i++)
        names[i] = settings[i].name;
    for (int i = 0; i < wanted.count; i++) {
        if (!axis_named(wanted.text[i]))
            usage("%s %s: no setting of a run%s", option, wanted.text[i],
                  did_you_mean(wanted.text[i], names, setting_count));
        Values v = values_in(e, wanted.text[i]);
        if (!v.count)
            usage("%s %s: none of the runs uses it", option, wanted.text[i]);
        values_free(&v);
    }
    values_free(&wanted);
    free(names);
}

/* How many values are this one or, with d, are called so. */
static int
count_called(const Drawing *d, const Values *known, const char *word)
{
    int count = 0;
    for (int i = 0; i < known->count; i++) {
        char *name = d ? shown_name(d, known->text[i]) : NULL;
        count += !strcmp(name ? name : known->text[i], word);
        free(name);
    }
    return count;
}

/* All values that some settings have, each once. */
static Values
values_drawn(const char *list, const Experiment *e)
{
    Values names = values_cut(list), known = {0};
    for (int i = 0; i < names.count; i++) {
        Values v = axis_named(names.text[i]) ? values_in(e, names.text[i])
                                             : (Values){0};
        for (int k = 0; k < v.count; k++)
            if (!count_called(NULL, &known, v.text[k]))
                values_add(&known, copy_text(v.text[k]));
        values_free(&v);
    }
    values_free(&names);
    return known;
}

/* Exits (2) unless it is one of these values. */
static void
check_value(const char *option, const char *value, const Values *known)
{
    char *there = joined(known, ", ");
    if (!count_called(NULL, known, value))
        usage("%s: \"%s\" is not one of the values that are drawn: %s", option,
              value, there);
    free(there);
}

/* Leaves the runs that --show names: those with one of its values of the first
   setting of --by. */
static void
keep_shown(const Drawing *d, Experiment *e)
{
    int kept = 0;
    char *by = format_text("%.*s", (int)strcspn(d->by, ","), d->by);
    Values wanted = values_cut(d->show), known = values_drawn(by, e);
    for (int i = 0; i < wanted.count; i++)
        check_value("--show", wanted.text[i], &known);
    for (int i = 0; i < e->count; i++) {
        const char *value = run_asked(&e->runs[i], axis_named(by));
        if (value && index_in(d->show, value) >= 0)
            e->runs[kept++] = e->runs[i];
        else
            run_free(&e->runs[i]);
    }
    e->count = kept;
    values_free(&known);
    values_free(&wanted);
    free(by);
}

/* Exits (2) unless all of --rename are NAME=TEXT, of values that are drawn, and
   no two are called the same. */
static void
check_names(const Drawing *d, const Experiment *e)
{
    Values pairs = values_cut(d->rename);
    char *drawn =
        format_text("%s,%s,%s", d->by, d->x, d->facet ? d->facet : "");
    Values known = values_drawn(drawn, e);
    for (int i = 0; i < pairs.count; i++) {
        size_t n = strcspn(pairs.text[i], "=");
        if (!n || strlen(pairs.text[i]) < n + 2)
            usage("--rename \"%s\": give a value and what it is called, as in "
                  "standard=ours",
                  pairs.text[i]);
        char *name = format_text("%.*s", (int)n, pairs.text[i]);
        check_value("--rename", name, &known);
        if (count_called(d, &known, pairs.text[i] + n + 1) > 1)
            usage("--rename %s: another one is called so too; give each a name "
                  "of its own",
                  pairs.text[i]);
        free(name);
    }
    values_free(&known);
    free(drawn);
    values_free(&pairs);
}

/* Exits (2) where a map has no rows or columns, or no single colour. */
static void
check_map(const Drawing *d)
{
    if (!axis_named(d->x))
        usage("--map: what lies along --x %s is no setting; give one, and "
              "another one with --by",
              d->x);
    if (strchr(d->by, ',') || series_along(d))
        usage("--map: give one setting with --by, and another one with --x");
    if (d->spread || (d->facet && !strcmp(d->facet, "quantity")))
        usage("--map: its colours are the means of one quantity; leave out %s",
              d->spread ? "--spread" : "--facet quantity");
}

/* Exits (2) where what is asked for cannot be drawn of these runs. */
static void
check_drawing(const Drawing *d, const Experiment *e)
{
    bool facet = d->facet && strcmp(d->facet, "quantity");
    if (facet)
        check_settings("--facet", d->facet, e);
    if (axis_named(d->x))
        check_settings("--x", d->x, e);
    if (d->map)
        check_map(d);
    if (d->rename)
        check_names(d, e);
}

/* Draws what compare and equiv drew, from their runs and from the table of
   equiv. */
static void
draw_again(Options *o, const Experiment *e)
{
    static const char *const positions[] = {"", "rope", "alibi"};
    if (!strcmp(o->draw.by, "variant"))
        o->draw.by = compared_by(&o->request, e);
    draw_all(&o->draw, e);
    for (int i = 0; i < 6; i++) {
        const char *place = o->rest_count ? o->rest[0] : o->out;
        Square s = square_read(place, positions[i / 2], i % 2);
        if (s.count)
            square_draw(&s, positions[i / 2], i % 2, &o->draw);
        square_free(&s);
    }
}

int
command_plot(int argc, char **argv)
{
    Options o = options_read(argc, argv);
    const char *const *paths = (const char *const *)o.rest;
    Experiment e = o.rest_count ? experiment_read(paths, o.rest_count)
                                : experiment_read(&o.out, 1);
    check_settings("--by", o.draw.by, &e);
    if (o.draw.show)
        keep_shown(&o.draw, &e);
    check_drawing(&o.draw, &e);
    if (o.again)
        draw_again(&o, &e);
    else
        figures_draw(&o.draw, &e);
    int status = !figures_drawn; /* why, they say themselves */
    if (!o.again && over_training(e.runs, o.draw.x, o.draw.y))
        bars_draw(&o.draw, &e);
    experiment_free(&e);
    request_free(&o.request);
    return status;
}
