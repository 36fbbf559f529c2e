/* figure.c - the figures of an experiment: panels side by side, each with a
   curve for each series of a group of runs.

   If there are several groups, a figure shows one quantity, with a panel for
   each group. A single group has one figure, with a panel for each quantity. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "study/figure.h"
#include "study/known_quantities.h"
#include "study/choose_rate.h"
#include "tasks/tasks.h"

/* One quantity of one group of runs. */
typedef struct Panel {
    const Group *group;
    const char *y;
} Panel;

typedef struct Plot {
    const Drawing *o;
    bool training; /* curves over training: x is "step" */
    const char *x; /* "step", a setting or a result */
    Values xs;     /* the values of x, if it is a setting */
    Panel *panels;
    int panel_count;
    bool several;     /* do the panels show several quantities? */
    bool rates;       /* is each seed shown at one of several learning rates? */
    Outcomes tables;  /* if so, the outcomes, which have chosen the rates */
    const char *task; /* the task of all panels, or "" if there are several */
    FILE *data;       /* the figure's data, curve by curve */
    int least, most;  /* the fewest and the most seeds of a finite point */
} Plot;

/* The value that the runs of a panel have on an axis: x, if that is the value
   of the figure's x; NULL if it is not known. */
static const char *
value_on_axis(const Plot *all, const Panel *p, const char *x, const char *axis)
{
    if (x && !strcmp(axis, all->x))
        return x;
    for (int i = 0; i < p->group->axis_count; i++)
        if (!strcmp(p->group->axes[i].name, axis))
            return p->group->axes[i].value;
    return NULL;
}

/* Are the runs at value x of a panel in this group of the tables? They are if
   no axis of the group has another value. `x` is NULL if the figure's x is no
   setting. */
static bool
group_has(const Group *table, const Plot *all, const Panel *p, const char *x)
{
    const Axis *end = table->axes + table->axis_count;
    for (const Axis *a = table->axes; a < end; a++) {
        const char *value = value_on_axis(all, p, x, a->name);
        if (value && strcmp(value, a->value))
            return false;
    }
    return true;
}

/* Copies the runs that a row of the tables shows to `own`, and returns their
   number. */
static int
runs_of_row(const Outcome *row, const Run *const *runs, int count,
            const Run **own)
{
    int found = 0;
    for (int k = 0; k < count; k++)
        for (int s = 0; s < row->seeds; s++)
            if (row->runs[s] == runs[k])
                own[found++] = runs[k];
    return found;
}

/* Chooses one run for each seed among runs that differ only in seeds and rates:
   if there are several rates, the run that the tables show. *seeds becomes
   their number. */
static const Run **
chosen_to_show(const Plot *all, const Panel *p, const char *x,
               const Run *const *runs, int count, int *seeds)
{
    double lr;
    if (!all->rates)
        return chosen_runs(runs, count, "validation_loss", seeds, &lr);
    const Run **own = allocate((size_t)count + 1, sizeof(const Run *));
    *seeds = 0;
    for (int i = 0; i < all->tables.count; i++) {
        const Outcome *row = &all->tables.list[i];
        if (group_has(row->group, all, p, x))
            *seeds = runs_of_row(row, runs, count, own);
        if (*seeds)
            break;
    }
    return own;
}

/* Writes a point of a curve, which summarises `seeds` seeds. */
static void
put_point(Plot *all, const Panel *p, const Series *s, const char *x, Mean y,
          int seeds)
{
    fprintf(all->data, "%d\t%s\t%s\t%s\t%s\t%s\n", (int)(p - all->panels) + 1,
            s->name, x, number_text(y.mean, 6), number_text(y.low, 6),
            number_text(y.high, 6));
    if (isfinite(y.mean)) {
        all->least = seeds < all->least ? seeds : all->least;
        all->most = seeds > all->most ? seeds : all->most;
    }
}

/* Writes a curve over training: a point for each row that all logs have. */
static void
put_steps(Plot *all, const Panel *p, const Series *s)
{
    int n;
    const Run **runs = chosen_to_show(all, p, NULL, s->runs, s->count, &n);
    if (!n)
        return;
    double *y = allocate((size_t)n, sizeof *y);
    int rows = runs[0]->log.rows;
    for (int i = 1; i < n; i++)
        rows = runs[i]->log.rows < rows ? runs[i]->log.rows : rows;
    for (int row = 0; row < rows; row++) {
        const char *step = table_cell(&runs[0]->log, row, 0);
        for (int i = 0; i < n; i++) {
            const Run *r = runs[i];
            int column = table_column(&r->log, p->y);
            y[i] = cell_value(table_cell(&r->log, row, column), r->path);
        }
        put_point(all, p, s, step, values_mean(p->y, y, n), n);
    }
}

/* Writes the point of runs that differ only in seeds and rates. If the figure's
   x is a setting, the point is at its value `x`; for init, at the number in
   that value, such as 0.1 in "W_Q=0.1". If x is a result, the point is at its
   mean. */
static void
put_place(Plot *all, const Panel *p, const Series *s, const Run *const *runs,
          int count, const char *x)
{
    int n;
    const Run **own = chosen_to_show(all, p, x, runs, count, &n);
    if (!n)
        return;
    const char *at = x;
    if (!is_setting_or_run(all->x) || !strcmp(all->x, "init"))
        at = number_text(quantity_mean(own, n, all->x).mean, 10);
    put_point(all, p, s, at, quantity_mean(own, n, p->y), n);
}

/* Writes a curve along a setting or a result: a point for each configuration,
   since only seeds are averaged. A configuration that does not use the setting
   was trained once, and has a point at each value of it. */
static void
put_places(Plot *all, const Panel *p, const Series *s)
{
    const Run **here = allocate((size_t)s->count, sizeof(const Run *));
    bool *drawn = allocate((size_t)s->count, sizeof *drawn);
    const char *averaged = all->rates ? "seed lr log" : "seed log";
    for (int first = 0; first < s->count; first++) {
        int n = 0;
        if (drawn[first])
            continue;
        for (int i = first; i < s->count; i++)
            if (!differing_setting(&s->runs[first]->config, &s->runs[i]->config,
                                   averaged)) {
                here[n++] = s->runs[i];
                drawn[i] = true;
            }
        bool setting = is_setting_or_run(all->x);
        const char *x = setting ? run_value_text(here[0], all->x) : NULL;
        if (setting && !x) /* these runs do not use the setting */
            for (int v = 0; v < all->xs.count; v++)
                put_place(all, p, s, here, n, all->xs.text[v]);
        else
            put_place(all, p, s, here, n, x);
    }
}

/* The level that a panel shows as a line, "0.3 trivial baseline": the first of
   its quantity's levels that has the same value in all its runs; or "". */
static char *
level_of(const Panel *p)
{
    const Group *g = p->group;
    for (int i = 0; i < LEVELS; i++) {
        const char *name = quantity_named(p->y)->levels[i].name;
        double level = name ? run_value_number(g->runs[0], name) : NAN;
        for (int k = 1; k < g->count && !isnan(level); k++)
            if (run_value_number(g->runs[k], name) != level)
                level = NAN;
        if (!isnan(level))
            return format_text("%.6g %s", level,
                               quantity_named(p->y)->levels[i].word);
    }
    return copy_text("");
}

/* Describes the points and their bars: "mean of 5 seeds, 95% interval". */
static char *
measured(const Plot *all)
{
    bool median = quantity_named(all->panels[0].y)->median;
    int enough = median ? MEDIAN_SEEDS : INTERVAL_SEEDS;
    const char *bars = ", 95% interval";
    if (all->most < enough)
        bars = ", smallest to largest";
    if (all->o->map)
        bars = "";
    if (all->most == 1)
        return copy_text("one seed");
    return format_text("%s of %s%d seeds%s", median ? "median" : "mean",
                       all->least < all->most ? "up to " : "", all->most, bars);
}

/* Writes the first lines of the script, in which a user may change the texts,
   and ends the figure. */
static void
put_script(Figure *f, const Plot *all)
{
    static const char *const scale_names[] = {"", "share", "powers"};
    const Drawing *o = all->o;
    Values titles = {0}, ylabels = {0}, scales = {0}, levels = {0}, keys = {0};
    for (int i = 0; i < all->panel_count; i++) {
        const Panel *p = &all->panels[i];
        const Group *g = p->group;
        const KnownTask *task = task_named(g->runs[0]->config.task);
        const char *scale = scale_names[quantity_named(p->y)->scale];
        values_add(&titles, group_text(g, *all->task ? "task" : "", true));
        values_add(&ylabels, axis_title(p->y, task));
        values_add(&scales, copy_text(o->log_y ? "log" : scale));
        values_add(&levels, level_of(p));
        for (int s = 0; s < g->series_count; s++)
            values_add(&keys, copy_text(g->series[s].name));
    }
    series_sort(&keys); /* which keeps each once */
    char *x = axis_title(all->x, NULL);
    char *y = all->several ? joined(&ylabels, ", ") : ylabels.text[0];
    char *rates = "";
    if (all->rates)
        rates = format_text(", each seed at the learning rate that was best "
                            "for the others in what is judged: %s",
                            chosen_rates(&all->tables));
    char *drawn = format_text("%s against %s%s", y, x, rates);
    fprintf(f->script, "names = '%s' # of series in the data\nalong = '%s'\n",
            joined(&keys, " "),
            all->training               ? "training"
            : is_setting_or_run(all->x) ? "setting"
                                        : "result");
    figure_word(f, "by", axis_title(o->by, NULL));
    figure_word(f, "xlabel", x);
    figure_words(f, "ylabels", &ylabels);
    figure_words(f, "titles", &titles);
    figure_words(f, "keys", &keys);
    figure_words(f, "scales", &scales);
    figure_words(f, "levels", &levels);
    figure_end(f, o->map ? "map.gp" : "panels.gp", drawn);
}

/* Draws a figure of the given panels. Its name is Y-X-TASK, where Y is "curves"
   if there are several quantities. Figures over training have no X, and figures
   of several tasks no TASK. */
static void
draw_panels(Plot *all)
{
    const Drawing *o = all->o;
    const char *of = all->task;
    char *data;
    all->data = begin_text(&data);
    all->most = 0;
    all->least = INT_MAX;
    for (const Panel *p = all->panels; p < all->panels + all->panel_count; p++)
        for (int s = 0; s < p->group->series_count; s++)
            if (all->training)
                put_steps(all, p, &p->group->series[s]);
            else
                put_places(all, p, &p->group->series[s]);
    end_text(all->data, &data);
    char *name = copy_text(all->several ? "curves" : all->panels[0].y);
    if (!all->training)
        name = format_text("%s-%s", name, all->x);
    if (*of)
        name = format_text("%s-%s", name, of);
    if (o->map)
        name = format_text("%s-map", name);
    if (all->most) {
        Figure f = figure_begin(o, name, of, measured(all));
        fprintf(f.data, "panel\tseries\t%s\tmean\tlow\thigh\n%s", all->x, data);
        put_script(&f, all);
    } else
        note("%s was not drawn, because no run has a finite number: the runs "
             "diverged (choose a smaller --lr), or did not measure this",
             name);
}

/* The outcomes that tables show. They compare the setting of --by, as the
   figure does, unless the runs do not differ in it or it is the seed. */
static Outcomes
tables_of(const Request *r, const Experiment *e)
{
    Request same = *r;
    bool seeds = r->by && index_in(r->by, "seed") >= 0;
    if (r->by && (seeds || values_in(e, r->by).count < 2))
        same.by = NULL;
    return outcomes_of(&same, e);
}

/* One figure for each quantity if there are several groups or a map; else one
   for all quantities. */
void
figures_draw(const Drawing *o, const Request *r, const Experiment *e)
{
    int groups;
    Plot all = {.o = o, .training = !o->x, .x = o->x ? o->x : "step"};
    Values ys =
        values_split(o->y ? o->y : "validation_loss,validation_accuracy");
    Values tasks = values_in(e, "task");
    for (int y = 0; y < ys.count; y++)
        check_quantity(e, ys.text[y], all.training);
    if (is_setting_or_run(all.x))
        all.xs = values_in(e, all.x);
    all.rates = values_in(e, "lr").count > 1 && strcmp(all.x, "lr") != 0 &&
                index_in(o->by, "lr") < 0 && index_in(o->by, "run") < 0;
    if (all.rates)
        all.tables = tables_of(r, e);
    const Group *g = groups_of(e, o->by, o->x, &groups);
    int each = groups > 1 || o->map ? 1 : ys.count;
    all.several = each > 1;
    all.task = tasks.count == 1 ? tasks.text[0] : "";
    all.panel_count = groups * each;
    all.panels = allocate((size_t)all.panel_count, sizeof *all.panels);
    for (int y = 0; y < ys.count; y += each) {
        for (int p = 0; p < all.panel_count; p++)
            all.panels[p] = (Panel){&g[p / each], ys.text[y + p % each]};
        draw_panels(&all);
    }
}

/* One bar for each variant of each task. */
void
bars_draw(const Drawing *o, const Experiment *e)
{
    int groups;
    void *drawn = NULL;
    Group *g = groups_of(e, "variant", NULL, &groups);
    Figure f = figure_begin(o, "parameters", "Parameters",
                            "real (blue) of those stored (light), outside "
                            "attention (grey)");
    fprintf(f.data, "group\tvariant\tattention\trest\treal\n");
    for (int i = 0; i < groups; i++)
        for (int k = 0; k < g[i].series_count; k++) {
            const Series *s = &g[i].series[k];
            const Run *r = s->runs[0];
            double attention = run_number(r, "attention_parameters");
            double rest = run_number(r, "parameters") - attention;
            char *bar =
                format_text("%s\t%.0f\t%.0f\t%s", s->name, attention, rest,
                            number_text(run_number(r, "real"), 10));
            /* Groups whose settings change no count share one bar. */
            if (add_word(&drawn, format_text("%s %s", r->config.task, bar)))
                fprintf(f.data, "%s\t%s\n", g[i].name, bar);
        }
    figure_end(&f, "bars.gp", "");
}
