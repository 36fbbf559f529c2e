/* figure.c - what is drawn of an experiment: which groups of runs and which of
   their quantities are side by side, and what the script of a figure has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "config/tasks.h"
#include "heart/fail.h"
#include "study/curves.h"
#include "study/figure.h"
#include "study/quantity.h"

const char default_y[] = "validation_loss,validation_accuracy";

/* Writes the data, curve by curve. */
static void
put_data(FILE *data, const Plot *all)
{
    fprintf(data, "panel\tseries\t%s\tmean\tlow\thigh\n", all->o->x);
    for (const Point *t = all->points; t < all->points + all->count; t++) {
        char n[4][32];
        number_text(t->x, 10, n[0]);
        fprintf(data, "%d\t%s\t%s\t%s\t%s\t%s\n",
                (int)(t->panel - all->panels) + 1, t->series,
                all->words.count ? all->words.text[(int)t->x - 1] : n[0],
                number_text(t->y.mean, 6, n[1]), number_text(t->y.low, 6, n[2]),
                number_text(t->y.high, 6, n[3]));
    }
}

/* Adds a level that all runs of a panel share: "panel value name". */
static void
add_level(Values *levels, int panel, const Group *g, const char *key,
          const char *name)
{
    double level = run_quantity(g->runs[0], key);
    bool shared = true;
    for (int i = 0; i < g->count; i++)
        shared &= run_quantity(g->runs[i], key) == level;
    if (shared)
        values_add(levels, format_text("%d %.6g %s", panel, level, name));
}

/* A text a panel: is its axis logarithmic, is it a share, its range. Then the
   levels to compare its curves with. */
static void
put_ranges(const Figure *f, const Plot *all)
{
    Values ranges = {0}, levels = {0};
    for (int i = 0; i < all->panel_count; i++) {
        const Panel *p = &all->panels[i];
        const Quantity *y = quantity_named(p->y);
        values_add(&ranges,
                   format_text("%d %d %g %g", p->log,
                               p->low >= 0 && y->scale == SHARE,
                               p->log ? p->positive : p->low, p->high));
        for (const Quantity *q = quantities; q < quantities + quantity_count;
             q++)
            if (is_level(q, p->y, p->group->runs[0]))
                add_level(&levels, i + 1, p->group, q->name, q->level);
        if (y->median)
            add_level(&levels, i + 1, p->group, "steps", "unsolved");
    }
    figure_words(f, "ranges", &ranges);
    if (levels.count)
        figure_words(f, "levels", &levels);
    values_free(&ranges);
    values_free(&levels);
}

/* What is along x: the values there, as in the data; and, where these are
   words, how they are called. */
static void
put_places(const Figure *f, const Plot *all)
{
    Values xs = {0};
    for (int i = 0; i < all->places; i++)
        values_add(&xs, all->words.count
                            ? copy_text(all->words.text[(int)all->xs[i] - 1])
                            : format_text("%.10g", all->xs[i]));
    if (all->words.count)
        figure_words(f, "places", &xs);
    char *list = joined(&xs, " ");
    fprintf(f->script, "xs = '%s'\nticks = %d\nlog_x = %d\nnamed_along = %d\n",
            list, is_axis(all->o->x) && all->places <= 10, all->log_x,
            !strcmp(all->o->x, all->o->by));
    free(list);
    values_free(&xs);
}

/* How many panels have a median; a share is a mean. */
static int
medians_in(const Plot *all)
{
    int medians = 0;
    for (int i = 0; i < all->panel_count; i++)
        medians += quantity_named(all->panels[i].y)->median;
    return medians;
}

/* "mean of 5 seeds, 95% interval": what points and bars are. */
static char *
measured(const Plot *all)
{
    int medians = medians_in(all), least = all->least, most = all->most;
    int covered = medians ? (int)(100 * median_coverage(least)) : 95;
    char seeds[32], interval[32] = "";
    if (most == 1)
        return copy_text("one seed");
    snprintf(seeds, sizeof seeds, least < most ? "%d to %d" : "%d", least,
             most);
    if (!all->o->map)
        snprintf(interval, sizeof interval,
                 most < INTERVAL_SEEDS ? ", smallest to largest"
                                       : ", %d%% interval",
                 covered);
    return format_text(
        "%s of %s seeds%s%s", medians == all->panel_count ? "median" : "mean",
        seeds,
        medians && medians < all->panel_count ? "; of steps the median" : "",
        interval);
}

/* The quantities that are drawn, and against what; and a sentence where the
   picture has less than a reader might think. */
static char *
notes_of(const Plot *all, const Values *ylabels, const char *x)
{
    Values ys = {0};
    for (int i = 0; i < ylabels->count; i++)
        values_add(&ys, copy_text(ylabels->text[i]));
    series_sort(&ys); /* each once */
    char *list = joined(&ys, ", ");
    char *notes = format_text(
        " Drawn: %s against %s.%s%s%s", list, x,
        all->o->log_y ? " What is not above 0 is not drawn." : "",
        all->ends ? " A curve ends where one of its seeds ended or diverged."
                  : "",
        medians_in(all) ? " A seed that never got there is at the last step."
                        : "");
    values_free(&ys);
    free(list);
    return notes;
}

/* Draws the figure: its data, and its script, which begins with what one may
   want to change. */
static void
draw_panels(const Plot *all)
{
    const Drawing *o = all->o;
    Values titles = {0}, ylabels = {0};
    for (const Panel *p = all->panels; p < all->panels + all->panel_count;
         p++) {
        const char *task = p->group->runs[0]->config.task;
        values_add(&titles, copy_text(p->title));
        values_add(&ylabels, axis_title(p->y, task_named(task)));
    }
    char *name =
        format_text("%s%s", all->panels[0].figure, o->map ? "-map" : "");
    Figure f = figure_begin(o, name);
    char *x = axis_title(o->x, NULL), *by = axis_title(o->by, NULL);
    char *what = measured(all);
    char *title = format_text("%s: %s", all->panels[0].runs, what);
    char *notes = notes_of(all, &ylabels, x);
    char *names = joined(&all->series, " ");
    put_data(f.data, all);
    figure_title(&f, title, notes);
    figure_word(&f, "by", o->map || strcmp(o->by, "variant") ? by : "");
    figure_word(&f, "xlabel", x);
    figure_words(&f, "ylabels", &ylabels);
    figure_words(&f, "titles", &titles);
    figure_words(&f, "keys", &all->series);
    fprintf(f.script, "names = '%s' # of these in the data\n", names);
    put_ranges(&f, all);
    put_places(&f, all);
    figure_end(&f, o->map ? "map" : "panels");
    free(name);
    free(names);
    free(notes);
    free(title);
    free(what);
    free(by);
    free(x);
    values_free(&titles);
    values_free(&ylabels);
}

/* Names the figure that a panel is part of, WHAT-X-by-FACET-RUNS, and what
   keeps the panel apart from others there: the value of the facet; where a task
   has several groups, what that group is of; else only its quantity. */
static void
place_panel(Panel *p, const Drawing *o, const char *facet, bool multiples)
{
    const Group *g = p->group;
    const char *task = g->runs[0]->config.task;
    bool training = !strcmp(o->x, "step");
    bool side = !facet && !multiples && (training || o->facet);
    bool usual = side && !o->facet && training &&
                 (!strcmp(o->y, default_y) || !strcmp(o->y, "validation_loss"));
    char *y = axis_title(p->y, multiples ? task_named(task) : NULL);
    char *what = copy_text(side && !training ? "quantities"
                           : side            ? o->y
                                             : p->y);
    char *runs =
        multiples ? copy_text(task) : group_text(g, facet ? facet : "", false);
    const char *dash = *runs ? "-" : ""; /* it may be of all tasks */
    for (char *c = what; *c; c++)
        *c = *c == ',' ? '+' : *c;
    p->figure =
        usual ? format_text("curves%s%s", dash, runs)
              : format_text("%s-%s%s%s%s%s", what, o->x, facet ? "-by-" : "",
                            facet ? facet : "", dash, runs);
    p->runs = multiples ? format_text("%s, %s", task, y)
              : *runs   ? group_text(g, facet ? facet : "", true)
                        : copy_text(y);
    p->title = multiples ? group_text(g, "task", true) : copy_text("");
    if (facet) {
        const char *value = run_value(g->runs[0], facet);
        char *axis = axis_title(facet, NULL);
        replace(&p->title, format_text("%s %s", axis, value ? value : "none"));
        free(axis);
    }
    free(what);
    free(runs);
    free(y);
}

static int
groups_of_task(const Group *g, int groups, const char *task)
{
    int n = 0;
    for (int i = 0; i < groups; i++)
        n += !strcmp(g[i].runs[0]->config.task, task);
    return n;
}

/* Draws the figure of the first of these panels with all that are in it, and
   takes these from the others. */
static void
draw_figure(const Drawing *o, const Experiment *e, Panel *first,
            const Panel *end)
{
    Panel *here = allocate((size_t)(end - first), sizeof *here);
    char *name = copy_text(first->figure);
    int count = 0;
    bool numbers = false;
    for (Panel *p = first; p < end; p++)
        if (p->figure && !strcmp(p->figure, name)) {
            numbers |= has_numbers(p, o);
            here[count++] = *p;
            p->figure = NULL;
        }
    if (numbers) {
        Plot all = curves_of(o, e, here, count);
        draw_panels(&all);
        curves_free(&all);
    } else if (!o->together)
        note("%s is not drawn: none of its numbers is finite: its runs "
             "diverged, took no step, or never got there; give another --x or "
             "--y, or train on, or at a lower --lr",
             name);
    for (int i = 0; i < count; i++) {
        free(here[i].figure);
        free(here[i].runs);
        free(here[i].title);
    }
    free(name);
    free(here);
}

void
figures_draw(const Drawing *o, const Experiment *e)
{
    int groups;
    bool training = !strcmp(o->x, "step");
    bool facets = o->facet && strcmp(o->facet, "quantity");
    const char *facet = facets ? o->facet : NULL;
    Values ys = values_cut(o->y);
    for (int y = 0; y < ys.count; y++)
        check_quantity(e, ys.text[y], training);
    if (!training && !is_axis(o->x))
        check_quantity(e, o->x, false);
    Group *g = groups_of(e, o->by, training ? NULL : o->x, facet, &groups);
    int count = groups * ys.count;
    Panel *panels = allocate((size_t)count, sizeof *panels);
    for (int i = 0; i < count; i++) {
        const Group *own = &g[i / ys.count];
        const char *task = own->runs[0]->config.task;
        bool multiples = o->together && groups_of_task(g, groups, task) > 1;
        panels[i] = (Panel){.group = own, .y = ys.text[i % ys.count]};
        place_panel(&panels[i], o, facet, multiples);
    }
    for (int i = 0; i < count; i++)
        if (panels[i].figure)
            draw_figure(o, e, &panels[i], panels + count);
    free(panels);
    values_free(&ys);
    groups_free(g, groups);
}
