/* figure.c - the figures of an experiment: panels side by side, each with a
   curve for each series of a group of runs.

   If there are several groups, a figure shows one quantity, with a panel for
   each group. A single group has one figure, with a panel for each quantity. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "study/figure.h"
#include "study/known_quantities.h"

/* A panel shows one quantity of one group of runs. */
typedef struct Panel {
    const Group *group;
    const char *y;
} Panel;

/* A figure that is being drawn. */
typedef struct Plot {
    const Drawing *drawing; /* what is to be drawn */
    bool training;          /* true if the curves are over training: the x-axis
                               is the step */
    const char *x_name;     /* of the x-axis: "step", a setting or a result */
    Values xs;              /* the values on the x-axis, if it is a setting */
    bool x_is_factor;       /* true if x is init, and its values are numbers */
    Panel *panels;
    int panel_count;
    bool several;     /* true if the panels show several quantities */
    bool rates;       /* true if each seed is shown at one of several learning
                         rates */
    Outcomes tables;  /* the tables of outcomes, in which these rates were
                         chosen; set only if `rates` is true */
    const char *task; /* the task of all panels, or "" if there are several */
    FILE *data;       /* the figure's data, curve by curve */
    /* The fewest and the most seeds of a finite point. `most` is 0 if no point
       is finite. */
    int fewest, most;
    Values gaps; /* the series that have a point that is not finite */
} Plot;

/* In the functions below, x is a value of the setting on the x-axis. It is NULL
   if the x-axis is a result or the step of training: then runs with any value
   are meant. */

/* The value that all of a panel's runs at x have for a setting, `axis`. NULL if
   they may have several values. */
static const char *
value_on_axis(const Plot *plot, const Panel *p, const char *x, const char *axis)
{
    if (x && !strcmp(axis, plot->x_name))
        return x;
    for (int i = 0; i < p->group->axis_count; i++)
        if (!strcmp(p->group->axes[i].name, axis))
            return p->group->axes[i].value;
    return NULL;
}

/* Returns whether `group`, a group of the tables, can contain a panel's runs at
   x: none of its axes (run_groups.h) has another value than all these runs
   have. The tables have more groups than the figure, because only their groups
   are divided by x. */
static bool
group_can_have(const Group *group, const Plot *plot, const Panel *p,
               const char *x)
{
    const Axis *end = group->axes + group->axis_count;
    for (const Axis *a = group->axes; a < end; a++) {
        const char *value = value_on_axis(plot, p, x, a->name);
        if (value && strcmp(value, a->value))
            return false;
    }
    return true;
}

/* Adds to c the runs of s that are also in a row of the tables. */
static void
add_runs_of_row(Chosen *c, const Outcome *row, const Series *s)
{
    for (int k = 0; k < s->count; k++)
        for (int i = 0; i < row->own.seeds; i++)
            if (row->own.runs[i] == s->runs[k])
                c->runs[c->seeds++] = s->runs[k];
}

/* Chooses one run for each seed among the runs of s, which differ only in seeds
   and rates, for a point at x in a panel. If there are several rates, each seed
   is shown at the rate at which a row of the tables shows it. Several rows may
   have these runs, and may be judged in different quantities; the first one
   that has any of them decides. No runs are chosen if there is none. */
static Chosen
runs_to_show(const Plot *plot, const Panel *p, const Series *s, const char *x)
{
    if (!plot->rates) /* a seed has one run, which any quantity would choose */
        return chosen_runs(s->runs, s->count, "validation_loss");
    Chosen c = {.runs = allocate((size_t)s->count + 1, sizeof(const Run *))};
    for (int i = 0; i < plot->tables.count; i++) {
        const Outcome *row = &plot->tables.list[i];
        if (group_can_have(row->group, plot, p, x))
            add_runs_of_row(&c, row, s);
        if (c.seeds)
            break;
    }
    return c;
}

/* The significant digits of the numbers in a figure's data. */
enum { Y_DIGITS = 6, X_DIGITS = 10 };

/* Writes a point of the curve s at x. Its mean y is over `seeds` seeds. */
static void
put_point(Plot *plot, const Panel *p, const Series *s, const char *x, Mean y,
          int seeds)
{
    int number = (int)(p - plot->panels) + 1; /* the panel's number, from 1 */
    fprintf(plot->data, "%d\t%s\t%s\t%s\t%s\t%s\n", number, s->name, x,
            number_text(y.mean, Y_DIGITS), number_text(y.low, Y_DIGITS),
            number_text(y.high, Y_DIGITS));
    if (!isfinite(y.mean)) {
        values_add(&plot->gaps, copy_text(s->name));
        return;
    }
    plot->fewest = seeds < plot->fewest ? seeds : plot->fewest;
    plot->most = seeds > plot->most ? seeds : plot->most;
}

/* Writes a curve over training, with a point for each row that all logs have.
 */
static void
put_training_curve(Plot *plot, const Panel *p, const Series *s)
{
    const char *any_x = NULL;
    Chosen c = runs_to_show(plot, p, s, any_x);
    if (!c.seeds)
        return;
    double *y = allocate((size_t)c.seeds, sizeof *y);
    int rows = INT_MAX;
    for (int i = 0; i < c.seeds; i++)
        if (c.runs[i]->log.rows < rows)
            rows = c.runs[i]->log.rows;
    for (int row = 0; row < rows; row++) {
        const char *step = table_cell(&c.runs[0]->log, row, STEP_COLUMN);
        for (int i = 0; i < c.seeds; i++) {
            const Run *r = c.runs[i];
            int column = table_column(&r->log, p->y);
            y[i] = cell_value(table_cell(&r->log, row, column), r->path);
        }
        put_point(plot, p, s, step, values_mean(p->y, y, c.seeds), c.seeds);
    }
}

/* Writes the point of the runs of s, which differ only in seeds and rates. If
   the x-axis is a setting, the point is at its value x; if it is a result, at
   the mean of that result. In a value of the setting init, such as "W_Q=0.1",
   quantity_mean finds the factor. */
static void
put_mean_point(Plot *plot, const Panel *p, const Series *s, const char *x)
{
    Chosen c = runs_to_show(plot, p, s, x);
    if (!c.seeds)
        return;
    Mean y = quantity_mean(c.runs, c.seeds, p->y);
    bool is_result = !is_setting_or_run(plot->x_name);
    if (is_result || plot->x_is_factor) {
        double place = quantity_mean(c.runs, c.seeds, plot->x_name).mean;
        x = number_text(place, X_DIGITS);
        if (!isfinite(place)) /* the point has no place in the figure */
            y = (Mean){NAN, NAN, NAN};
    }
    put_point(plot, p, s, x, y, c.seeds);
}

/* Writes the point of one configuration. If it does not use the setting on the
   x-axis, it would be the same at any value, so it has a point at every value.
 */
static void
put_configuration(Plot *plot, const Panel *p, const Series *runs)
{
    bool is_setting = is_setting_or_run(plot->x_name);
    const char *x =
        is_setting ? run_value_text(runs->runs[0], plot->x_name) : NULL;
    bool at_every_x = is_setting && !x;
    if (!at_every_x) {
        put_mean_point(plot, p, runs, x);
        return;
    }
    for (int i = 0; i < plot->xs.count; i++)
        put_mean_point(plot, p, runs, plot->xs.text[i]);
}

/* Returns whether two runs of a series are averaged in one point: they have the
   same x, unless it is a result, and differ only in their seeds, in the words
   of --log and, if each seed is shown at one of several rates, in these. */
static bool
at_one_point(const Plot *plot, const Run *a, const Run *b)
{
    const char *averaged = plot->rates ? "seed lr log" : "seed log";
    bool same_x =
        !is_setting_or_run(plot->x_name) ||
        run_value_text(a, plot->x_name) == run_value_text(b, plot->x_name);
    return same_x && !differing_setting(&a->config, &b->config, averaged);
}

/* Writes a curve along a setting or a result, with a point for each
   configuration: the runs that are averaged. */
static void
put_curve(Plot *plot, const Panel *p, const Series *s)
{
    const Run **same = allocate((size_t)s->count, sizeof(const Run *));
    bool *drawn = allocate((size_t)s->count, sizeof *drawn);
    for (int first = 0; first < s->count; first++) {
        Series configuration = {s->name, same, .count = 0};
        if (drawn[first])
            continue;
        for (int i = first; i < s->count; i++)
            if (at_one_point(plot, s->runs[first], s->runs[i])) {
                same[configuration.count++] = s->runs[i];
                drawn[i] = true;
            }
        put_configuration(plot, p, &configuration);
    }
}

/* The horizontal line of a panel, as its height and its word, "0.3 trivial
   baseline". It is the first level of the panel's quantity (known_quantities.h)
   that is the same in all runs; "" if there is none. */
static char *
level_of(const Panel *p)
{
    const Quantity *q = quantity_named(p->y);
    for (int i = 0; i < LEVELS && q->levels[i].name; i++) {
        double level = shared_level(p->group, q->levels[i].name);
        if (!isnan(level))
            return format_text("%.6g %s", level, q->levels[i].word);
    }
    return copy_text("");
}

/* Returns what the points of a mean or of a median and their bars are: "mean of
   5 seeds, 95% interval". */
static char *
average_text(const Plot *plot, bool is_median)
{
    const char *average = is_median ? "median" : "mean";
    int enough_seeds = is_median ? MEDIAN_SEEDS : INTERVAL_SEEDS;
    const char *up_to = plot->fewest < plot->most ? "up to " : "";
    char *bars = "";
    if (plot->most < enough_seeds)
        bars = ", smallest to largest";
    else if (plot->fewest < enough_seeds)
        bars = format_text(", 95%% interval (of fewer than %d: smallest to "
                           "largest)",
                           enough_seeds);
    else
        bars = ", 95% interval";
    if (plot->drawing->map) /* a map has no bars */
        bars = "";
    return format_text("%s of %s%d seeds%s", average, up_to, plot->most, bars);
}

/* Returns what the points of all panels are: those of a panel of steps are
   medians. */
static char *
points_text(const Plot *plot)
{
    bool means = false, medians = false;
    for (int i = 0; i < plot->panel_count; i++) {
        bool is_median = quantity_named(plot->panels[i].y)->steps;
        medians |= is_median;
        means |= !is_median;
    }
    if (plot->most == 1)
        return copy_text("one seed");
    if (!means || !medians)
        return average_text(plot, medians);
    return format_text("%s; steps: %s", average_text(plot, false),
                       average_text(plot, true));
}

/* The caption, which says what is drawn, which curves have gaps, and how
   learning rates were chosen. `ylabels` has the title of each panel's y-axis.
 */
static char *
caption_of(const Plot *plot, const Values *ylabels)
{
    char *x = axis_title(plot->x_name);
    char *y = plot->several ? joined(ylabels, ", ") : ylabels->text[0];
    char *gaps = "", *rates = "";
    if (plot->gaps.count)
        gaps = format_text(" (gaps: %s)", joined(&plot->gaps, ", "));
    if (plot->rates)
        rates = format_text(", each seed at the learning rate that was best "
                            "for the others in what is judged: %s",
                            chosen_rates(&plot->tables));
    return format_text("%s against %s%s%s", y, x, gaps, rates);
}

/* The texts that a user may change in a figure's script: `keys` has one for
   each series, the other lists one for each panel. */
typedef struct Texts {
    Values titles, ylabels, scales, levels, keys;
} Texts;

/* What the tasks of a group call their accuracy: both words if they differ. */
static const char *
measure_of(const Group *g)
{
    const char *first = task_measure(task_named(g->runs[0]->config.task));
    for (int i = 1; i < g->count; i++) {
        const KnownTask *t = task_named(g->runs[i]->config.task);
        if (strcmp(task_measure(t), first) != 0)
            return "accuracy or R^2";
    }
    return first;
}

/* Returns the texts of a figure before a user changes them. */
static Texts
texts_of(const Plot *plot)
{
    static const char *const scale_names[] = {
        [ANY] = "", [SHARE] = "share", [POWERS] = "powers"};
    Texts t = {.keys = {0}};
    for (int i = 0; i < plot->panel_count; i++) {
        const Panel *p = &plot->panels[i];
        const Group *g = p->group;
        const char *scale = scale_names[quantity_named(p->y)->scale];
        /* The figure's title has the task if all panels show the same one. */
        values_add(&t.titles, group_words(g, *plot->task ? "task" : ""));
        values_add(&t.ylabels, axis_title_measured(p->y, measure_of(g)));
        values_add(&t.scales, copy_text(plot->drawing->log_y ? "log" : scale));
        values_add(&t.levels, level_of(p));
        for (int s = 0; s < g->series_count; s++)
            values_add(&t.keys, copy_text(g->series[s].name));
    }
    series_sort(&t.keys); /* also removes repeated keys */
    return t;
}

/* Writes the variables that plots/panels.gp and plots/map.gp read. */
static void
write_variables(Figure *f, const Plot *plot, const Texts *t)
{
    const char *along = is_setting_or_run(plot->x_name) ? "setting" : "result";
    if (plot->training)
        along = "training";
    fprintf(f->script, "names = '%s' # of series in the data\nalong = '%s'\n",
            joined(&t->keys, " "), along);
    figure_word(f, "by", axis_title(plot->drawing->by));
    figure_word(f, "xlabel", axis_title(plot->x_name));
    figure_words(f, "ylabels", &t->ylabels);
    figure_words(f, "titles", &t->titles);
    figure_words(f, "keys", &t->keys);
    figure_words(f, "scales", &t->scales);
    figure_words(f, "levels", &t->levels);
}

/* A figure's name: Y-X-TASK or Y-X-TASK-map, with "curves" for Y if it shows
   several quantities. A figure over training has no X, and a figure of several
   tasks has no TASK. */
static char *
figure_name(const Plot *plot)
{
    char *name = copy_text(plot->several ? "curves" : plot->panels[0].y);
    if (!plot->training)
        name = format_text("%s-%s", name, plot->x_name);
    if (*plot->task)
        name = format_text("%s-%s", name, plot->task);
    return plot->drawing->map ? format_text("%s-map", name) : name;
}

/* Returns the points of all panels as the lines of the figure's data, counts
   their seeds in plot->fewest and plot->most, and lists in plot->gaps the
   series that lack some. */
static char *
points_of(Plot *plot)
{
    const Panel *end = plot->panels + plot->panel_count;
    char *points;
    plot->data = begin_text(&points);
    plot->most = 0;
    plot->gaps = (Values){0};
    plot->fewest = INT_MAX;
    for (const Panel *p = plot->panels; p < end; p++)
        for (int s = 0; s < p->group->series_count; s++)
            if (plot->training)
                put_training_curve(plot, p, &p->group->series[s]);
            else
                put_curve(plot, p, &p->group->series[s]);
    end_text(plot->data, &points);
    series_sort(&plot->gaps); /* also removes repeated names */
    return points;
}

/* Draws a figure of the plot's panels, unless no point of it is finite. */
static void
draw_panels(Plot *plot)
{
    char *name = figure_name(plot);
    const char *points = points_of(plot);
    if (!plot->most) {
        note("the figure %s was not drawn, because no run has a finite value "
             "to show: either the runs diverged (choose a smaller --lr), or "
             "their variants or tasks have no such quantity",
             name);
        return;
    }
    char *title = points_text(plot);
    if (plot->gaps.count)
        title = format_text("%s; gaps where a seed has no value", title);
    if (*plot->task) /* all panels show this task */
        title = format_text("%s: %s", plot->task, title);
    Figure f = figure_begin(plot->drawing, name, title);
    Texts texts = texts_of(plot);
    fprintf(f.data, "panel\tseries\t%s\tmean\tlow\thigh\n%s", plot->x_name,
            points);
    write_variables(&f, plot, &texts);
    f.drawn = caption_of(plot, &texts.ylabels);
    figure_end(&f, plot->drawing->map ? "map.gp" : "panels.gp");
}

/* The outcomes that the tables show. They compare the values of --by, as the
   figure does. Two kinds of settings cannot be compared: the seed, which is
   averaged, and a setting in which the runs do not differ, which outcomes_of
   would refuse. */
static Outcomes
tables_of(const Request *r, const Experiment *e)
{
    Request same = *r;
    bool comparable =
        r->by && index_in(r->by, "seed") < 0 && values_in(e, r->by).count > 1;
    if (!comparable)
        same.by = NULL;
    return outcomes_of(&same, e);
}

/* The names of the weights in a value of init, "W_Q+W_K", if all have the same
   factor; otherwise the whole value. */
static const char *
names_with_one_factor(const char *init)
{
    char *pairs = copy_text(init);
    replace_in(pairs, "+", ',');
    Values names = values_split(pairs);
    const char *factor = NULL;
    for (int i = 0; i < names.count; i++) {
        char *own = strchr(names.text[i], '='); /* in "W_Q=0.1" */
        if (!own || (factor && strcmp(own, factor) != 0))
            return init;
        factor = copy_text(own);
        *own = 0;
    }
    return joined(&names, "+");
}

/* Returns whether each of these values of init is one factor of the same
   weights: then a figure may show them as numbers. "none" is the factor 1. */
static bool
are_factors(const Values *inits)
{
    const char *names = NULL;
    for (int i = 0; i < inits->count; i++) {
        const char *own = names_with_one_factor(inits->text[i]);
        bool has_none = !strcmp(own, "none");
        bool has_several = strchr(own, '=');
        bool differ = names && !has_none && strcmp(own, names) != 0;
        if (has_several || differ)
            return false;
        names = has_none ? names : own;
    }
    return true;
}

/* The plot of a drawing, without its panels. */
static Plot
plot_of(const Drawing *o, const Request *r, const Experiment *e)
{
    Plot plot = {
        .drawing = o, .training = !o->x, .x_name = o->x ? o->x : "step"};
    Values tasks = values_in(e, "task");
    plot.task = tasks.count == 1 ? tasks.text[0] : "";
    if (is_setting_or_run(plot.x_name))
        plot.xs = values_in(e, plot.x_name);
    plot.x_is_factor = !strcmp(plot.x_name, "init") && are_factors(&plot.xs);
    bool shows_rates = !strcmp(plot.x_name, "lr") || index_in(o->by, "lr") >= 0;
    /* A curve or a point for each run? */
    bool shows_runs =
        index_in(o->by, "run") >= 0 || !strcmp(plot.x_name, "run");
    plot.rates = !shows_rates && !shows_runs && values_in(e, "lr").count > 1;
    if (plot.rates)
        plot.tables = tables_of(r, e);
    return plot;
}

/* Several groups, or a map, get a figure for each quantity, with a panel for
   each group. A single group gets one figure, with a panel for each quantity.
 */
void
figures_draw(const Drawing *o, const Request *r, const Experiment *e)
{
    const char *usual_y = "validation_loss,validation_accuracy";
    Values ys = values_split(o->y ? o->y : usual_y);
    bool training = !o->x;
    for (int i = 0; i < ys.count; i++)
        if (training)
            check_logged(e, ys.text[i]);
        else
            check_results(e, ys.text[i]);
    Plot plot = plot_of(o, r, e);
    int groups;
    const Group *g = groups_of(e, o->by, o->x, &groups);
    plot.several = groups == 1 && !o->map && ys.count > 1;
    plot.panel_count = plot.several ? ys.count : groups;
    plot.panels = allocate((size_t)plot.panel_count, sizeof *plot.panels);
    int figures = plot.several ? 1 : ys.count;
    for (int i = 0; i < figures; i++) {
        for (int p = 0; p < plot.panel_count; p++)
            plot.panels[p] = plot.several ? (Panel){&g[0], ys.text[p]}
                                          : (Panel){&g[p], ys.text[i]};
        draw_panels(&plot);
    }
}

/* The bars of a group, a line of the figure's data for each variant, without
   the group's name. */
static Values
bars_of(const Group *g)
{
    Values bars = {0};
    for (const Series *s = g->series; s < g->series + g->series_count; s++) {
        const Run *r = s->runs[0];
        double attention = run_number(r, "attention_parameters");
        double others = run_number(r, "parameters") - attention;
        values_add(&bars,
                   format_text("%s\t%.0f\t%.0f\t%s", s->name, attention, others,
                               number_text(run_number(r, "real"), X_DIGITS)));
    }
    return bars;
}

/* The figure has a bar for each variant of each group. It shows the parameters
   of attention, how many of them are real, and above them all other parameters.
   A group is left out if groups of the same task before it have all its bars.
 */
void
bars_draw(const Drawing *o, const Experiment *e)
{
    int groups;
    void *drawn = NULL;
    Group *g = groups_of(e, "variant", NO_X, &groups);
    Figure f = figure_begin(o, "parameters",
                            "Parameters: real (blue) of those stored (light), "
                            "outside attention (grey)");
    fprintf(f.data, "group\tvariant\tattention\trest\treal\n");
    for (int i = 0; i < groups; i++) {
        Values bars = bars_of(&g[i]);
        const char *task = g[i].runs[0]->config.task;
        bool is_new = false;
        for (int k = 0; k < bars.count; k++)
            if (add_word(&drawn, format_text("%s %s", task, bars.text[k])))
                is_new = true;
        if (!is_new)
            continue;
        for (int k = 0; k < bars.count; k++)
            fprintf(f.data, "%s\t%s\n", g[i].name, bars.text[k]);
    }
    figure_end(&f, "bars.gp");
}
